/** One finished operation on a register. Values are unique per write, so a read says which write it saw. */
export interface Operation {
  key: string;
  kind: 'read' | 'write' | 'swap';
  /** Moments on one counter: it took effect somewhere between them. */
  start: number;
  end: number;
  written?: string;
  /** For a swap: what the register held just before. */
  expected?: string;
  observed?: string;
  revision?: number;
}

/**
 * An order of the operations that respects real time and explains every answer, or undefined when there is none.
 * Depth-first search over the operations that may come next, with the visited (done set, value) pairs remembered
 * (Wing and Gong's algorithm with Lowe's cache).
 */
export function findLinearization(operations: readonly Operation[]): Operation[] | undefined {
  const order: Operation[] = [];
  const done = new Set<number>();
  const visited = new Set<string>();

  const search = (value: string | undefined): boolean => {
    if (done.size === operations.length) return true;
    const state = `${[...done].toSorted((a, b) => a - b).join()}|${value ?? '\0'}`;
    if (visited.has(state)) return false;
    visited.add(state);
    let earliestEnd = Infinity;
    operations.forEach((operation, i) => {
      if (!done.has(i)) earliestEnd = Math.min(earliestEnd, operation.end);
    });
    for (const [i, operation] of operations.entries()) {
      if (done.has(i) || operation.start > earliestEnd || !explains(operation, value)) continue;
      done.add(i);
      order.push(operation);
      if (search(operation.kind === 'read' ? value : operation.written)) return true;
      done.delete(i);
      order.pop();
    }
    return false;
  };
  return search(undefined) ? order : undefined;
}

function explains(operation: Operation, value: string | undefined): boolean {
  if (operation.kind === 'read') return operation.observed === value;
  return operation.kind === 'write' || operation.expected === value;
}
