/** The plugin NodeName: a pod with spec.nodeName fits only on that node. */
import { Action } from '../../framework/cluster-event.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { skip, unresolvable } from '../../framework/status.ts';

const OTHER_NODE = unresolvable("node(s) didn't match the requested node name");

export function nodeName(): Plugin {
  return {
    name: 'NodeName',
    signature: (pod) => pod.nodeName,
    preFilter: (_state, pod) => (pod.nodeName === '' ? { status: skip() } : undefined),
    filter: (_state, pod, node) => (pod.nodeName === '' || pod.nodeName === node.name ? undefined : OTHER_NODE),
    eventsToRegister: () => [{ resource: 'Node', action: Action.Add, hint: () => true }],
  };
}
