/** The message of a pod that fits nowhere: `0/5 nodes are available: ...`. */
import type { Status } from '../framework/status.ts';
import type { NodeCountByStatus } from './node-to-status.ts';

export const NO_NODES_MESSAGE = 'no nodes available to schedule pods';

/** Why no node fits a pod; upstream's Diagnosis. */
export interface Diagnosis {
  readonly totalNodes: number;
  /** Set when PreFilter rejected the pod before any node was filtered. */
  readonly preFilter: Status | undefined;
  /** The number of nodes of each status. */
  readonly nodeCounts: readonly NodeCountByStatus[];
  postFilterMessage: string;
  /** The plugins that rejected the pod. */
  readonly rejectors: ReadonlySet<string>;
  readonly pendingRejectors: ReadonlySet<string>;
}

export function diagnosisMessage(diagnosis: Diagnosis): string {
  let message = `0/${diagnosis.totalNodes} nodes are available:`;
  if (diagnosis.preFilter !== undefined && diagnosis.preFilter.message !== '')
    message += ` ${diagnosis.preFilter.message}.`;
  else {
    const text = reasonsText(diagnosis.nodeCounts);
    if (text !== '') message += ` ${text}.`;
  }
  if (diagnosis.postFilterMessage !== '') message += ` ${diagnosis.postFilterMessage}`;
  return message;
}

/** `1 Insufficient cpu, 2 Too many pods`, sorted as strings. */
export function reasonsText(counts: readonly NodeCountByStatus[]): string {
  let text = texts.get(counts);
  if (text === undefined) texts.set(counts, (text = formatReasons(counts)));
  return text;
}

/** Equal pods that fit nowhere have the same text. */
const texts = new WeakMap<readonly NodeCountByStatus[], string>();

function formatReasons(nodeCounts: readonly NodeCountByStatus[]): string {
  const counts = new Map<string, number>();
  for (const { status, nodes } of nodeCounts)
    for (const reason of status.reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes);
  return Array.from(counts, ([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}
