/** The plugin NodePorts: the host ports of a pod must be free on the node. */
import type { Pod } from '../../../api/generated/core-v1.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { alwaysShared } from '../../framework/profile.ts';
import { skip, unschedulable } from '../../framework/status.ts';

const NO_FREE_PORTS = unschedulable("node(s) didn't have free ports for the requested pod ports");

export function nodePorts(): Plugin {
  return {
    name: 'NodePorts',
    signature: alwaysShared,
    preFilter: (_state, pod) => (pod.shape.hostPorts.length === 0 ? { status: skip() } : undefined),
    bindFilter(_state, pod) {
      const ports = pod.shape.hostPorts;
      return (node) => (node.portsFree(ports) ? undefined : NO_FREE_PORTS);
    },
    eventsToRegister: () => [
      {
        resource: 'AssignedPod',
        action: Action.Delete,
        hint: (pod, before) => {
          const freed = portsOf(before as Pod);
          return pod.shape.hostPorts.some(({ port, protocol }) => freed.has(`${protocol} ${port}`));
        },
      },
      { resource: 'Node', action: Action.Add, hint: () => true },
    ],
  };
}

function portsOf(pod: Pod): Set<string> {
  const ports = new Set<string>();
  for (const container of [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])]) {
    for (const { hostPort, protocol } of container.ports ?? [])
      if (hostPort) ports.add(`${protocol ?? 'TCP'} ${hostPort}`);
  }
  return ports;
}
