/** The state of a pod or node in five words, each with a colour and a shape of its own. */
import type { Column, Row } from './api/feed.ts';

export type Health = 'ok' | 'wait' | 'bad' | 'done' | 'gone';

const BAD =
  /BackOff|Error|Err\w+|Failed|OOMKilled|Evicted|InvalidImageName|ContainerCannotRun|DeadlineExceeded|Unknown|NotReady|Lost|NodeAffinity/;
const WAITING = /Pending|ContainerCreating|PodInitializing|Init:\d|SchedulingGated|SchedulingDisabled|Released/;
const DONE = /^(?:Completed|Succeeded|Complete)$/;

export function healthOfStatus(status: string): Health {
  if (status.startsWith('Terminating')) return 'gone';
  if (BAD.test(status)) return 'bad';
  if (DONE.test(status)) return 'done';
  return WAITING.test(status) ? 'wait' : 'ok';
}

export const cellOf = (row: Row, columns: readonly Column[], name: string): string => {
  const index = columns.findIndex((column) => column.name === name);
  return index < 0 ? '' : String(row.cells[index] ?? '');
};

export function healthOfPod(row: Row, columns: readonly Column[]): Health {
  const health = healthOfStatus(cellOf(row, columns, 'Status'));
  const [ready = 0, all = 0] = cellOf(row, columns, 'Ready').split('/').map(Number);
  return health === 'ok' && ready < all ? 'wait' : health;
}

/** Whether a row is of a pod that has completed. */
export const isDoneRow = (row: Row, columns: readonly Column[]): boolean => DONE.test(cellOf(row, columns, 'Status'));

/** A cell of a Table that tells a state; undefined when it is none. */
export function healthOfCell(column: Column, value: unknown, isDone = false): Health | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  if (column.name === 'Status' || column.name === 'Phase') return healthOfStatus(value);
  if (column.name === 'Ready' || column.name === 'Completions') {
    const counts = /^(\d+)\/(\d+)$/.exec(value);
    if (!counts) return undefined;
    // Containers that have completed are not ready, and need not be.
    return Number(counts[1]) >= Number(counts[2]) ? 'ok' : isDone ? 'done' : 'wait';
  }
  return undefined;
}
