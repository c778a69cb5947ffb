import type { EventRecorder, EventType } from '../../client/index.ts';

/** Events about nodes name them by uid and have no namespace; most of them begin with the node's name. */
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
