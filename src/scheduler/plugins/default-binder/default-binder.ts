/** The plugin DefaultBinder: creates the Binding of the pod. */
import type { Client } from '../../../client/index.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { errorStatus } from '../../framework/status.ts';

export function defaultBinder(client: Client): Plugin {
  const pods = client.resource('v1/pods');
  return {
    name: 'DefaultBinder',
    async bind(_state, pod, nodeName, signal) {
      const { namespace, name, uid } = pod;
      try {
        await pods.subresource({ namespace, name }, 'binding').create(
          {
            apiVersion: 'v1',
            kind: 'Binding',
            metadata: { namespace, name, uid },
            target: { kind: 'Node', name: nodeName },
          },
          { signal, cause: pod.attempt },
        );
        return undefined;
      } catch (error) {
        return errorStatus(error);
      }
    },
  };
}
