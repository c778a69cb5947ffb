import { parseDuration, parseTime } from '../../base/index.ts';

/** A duration ago (`5m`) or a time (`2026-01-02T15:04:05Z`), in milliseconds since the epoch. */
export function pastTime(text: string, now: number): number {
  for (const read of [() => now - parseDuration(text), () => parseTime(text)]) {
    try {
      return read();
    } catch {
      // The other form is tried.
    }
  }
  throw new Error(`${JSON.stringify(text)} is neither a duration such as 5m nor a time such as 2026-01-02T15:04:05Z`);
}
