import { describe, expect, it } from 'vitest';
import { ChangeLog } from './change-log.ts';

describe('the log of changes', () => {
  const fill = (log: ChangeLog, count: number): void => {
    for (let i = 0; i < count; i++) log.append({ kind: 'node', slot: i });
  };
  const length = (log: ChangeLog): number => {
    let first = log.next;
    while (first > 0 && log.reaches(first - 1)) first--;
    return log.next - first;
  };

  it('is not longer than is worth replaying, because each change holds a pod', () => {
    for (const [nodes, atMost] of [
      [2, 256],
      [1000, 2000],
      [20_000, 8192],
    ] as const) {
      const log = new ChangeLog(() => nodes);
      fill(log, 50_000);
      expect(length(log)).toBeLessThanOrEqual(atMost);
      expect(length(log)).toBeGreaterThanOrEqual(atMost / 2 - 1);
    }
  });

  it('has the latest changes under their sequence numbers', () => {
    const log = new ChangeLog(() => 10);
    fill(log, 1000);
    expect(log.next).toBe(1000);
    for (let sequence = 999; log.reaches(sequence); sequence--)
      expect(log.at(sequence)).toEqual({ kind: 'node', slot: sequence });
  });

  it('shrinks when nodes leave', () => {
    let nodes = 4096;
    const log = new ChangeLog(() => nodes);
    fill(log, 8000);
    expect(length(log)).toBeGreaterThan(4000);
    nodes = 2;
    fill(log, 1);
    expect(length(log)).toBeLessThanOrEqual(256);
  });
});
