import type { EventRecorder, EventType } from '../../client/index.ts';

/** Records an event about a node. Most messages begin with the node's name; `bare` ones do not. */
export function recordNodeEvent(
  recorder: EventRecorder,
  node: { name?: string; uid?: string },
  type: EventType,
  reason: string,
  message: string,
  options: { bare?: boolean } = {},
): void {
  const { name = '', uid } = node;
  recorder.event(
    { reference: { apiVersion: 'v1', kind: 'Node', name, uid: uid ?? name } },
    type,
    reason,
    options.bare ? message : `Node ${name} event: ${message}`,
  );
}
