import { errorMessage } from '../base/index.ts';
/**
 * Calls `work` `count` times in batches of 1, 2, 4…: when early calls fail, for example because of a quota, the rest is
 * skipped. Returns how many succeeded; throws a SlowStartError when a call failed.
 */
export async function slowStartBatch(
  count: number,
  work: (index: number) => Promise<void>,
  initialBatch = 1,
): Promise<number> {
  let succeeded = 0;
  let started = 0;
  for (let size = Math.min(count, initialBatch); size > 0; size = Math.min(2 * size, count - started)) {
    const first = started;
    started += size;
    const results = await Promise.allSettled(Array.from({ length: size }, async (_, i) => work(first + i)));
    const failures = results.filter((result) => result.status === 'rejected');
    succeeded += size - failures.length;
    const failure = failures[0];
    if (failure !== undefined)
      throw new SlowStartError(failure.reason, { succeeded, failed: failures.length, skipped: count - started });
  }
  return succeeded;
}

export class SlowStartError extends Error {
  readonly code = 'slow-start';
  readonly succeeded: number;
  readonly failed: number;
  /** Calls that were skipped because of earlier failures. */
  readonly skipped: number;

  constructor(cause: unknown, counts: { succeeded: number; failed: number; skipped: number }) {
    super(errorMessage(cause), { cause });
    this.name = 'SlowStartError';
    this.succeeded = counts.succeeded;
    this.failed = counts.failed;
    this.skipped = counts.skipped;
  }
}
