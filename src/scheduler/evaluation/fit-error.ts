import type { Status } from '../framework/status.ts';
import type { NodesByAnswer } from './answer-column.ts';

export const NO_NODES_MESSAGE = 'no nodes available to schedule pods';

/** Why a pod could not be placed, in upstream's words. */
export interface Diagnosis {
  readonly totalNodes: number;
  /** Set when a PreFilter turned the pod down before any node was asked. */
  readonly preFilter: Status | undefined;
  /** The different answers, and how many nodes gave each. */
  readonly answers: readonly NodesByAnswer[];
  postFilterMessage: string;
  /** The plugins whose change of mind could help. */
  readonly rejectors: ReadonlySet<string>;
  readonly pendingRejectors: ReadonlySet<string>;
}

export function diagnosisMessage(diagnosis: Diagnosis): string {
  let message = `0/${diagnosis.totalNodes} nodes are available:`;
  if (diagnosis.preFilter !== undefined && diagnosis.preFilter.message !== '')
    message += ` ${diagnosis.preFilter.message}.`;
  else {
    const text = reasonsText(diagnosis.answers);
    if (text !== '') message += ` ${text}.`;
  }
  if (diagnosis.postFilterMessage !== '') message += ` ${diagnosis.postFilterMessage}`;
  return message;
}

/** `1 Insufficient cpu, 2 Too many pods`: sorted as texts. */
export function reasonsText(answers: readonly NodesByAnswer[]): string {
  let text = texts.get(answers);
  if (text === undefined) texts.set(answers, (text = makeText(answers)));
  return text;
}

/** Equal pods that fit nowhere get the same answers again and again. */
const texts = new WeakMap<readonly NodesByAnswer[], string>();

function makeText(answers: readonly NodesByAnswer[]): string {
  const counts = new Map<string, number>();
  for (const { status, nodes } of answers)
    for (const reason of status.reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes);
  return Array.from(counts, ([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}
