import type { Logger } from './logger.ts';
import { isAbort } from './run-group.ts';
import type { Cause } from './tracing.ts';
import type { WorkQueue } from './work-queue.ts';

interface WorkerOptions<T> {
  queue: WorkQueue<T>;
  /** How many items may be worked on at once. */
  workers: number;
  /** A rejection puts the item back, rate limited. */
  handle: (item: T, signal: AbortSignal, causes: readonly Cause[]) => Promise<void>;
  /** Errors that are part of normal work, such as conflicts: they are retried without an error in the log. */
  isExpected?: (error: unknown) => boolean;
  signal: AbortSignal;
  logger?: Logger;
}

/**
 * Processes a queue until `signal` aborts, then shuts it down and resolves when the last worker has finished. Items that are
 * still queued are dropped: a level-triggered controller sees them again at its next start.
 */
export async function runWorkers<T>(options: WorkerOptions<T>): Promise<void> {
  const { queue, workers, signal } = options;
  const shutDown = (): void => queue.shutDown();
  if (signal.aborted) shutDown();
  signal.addEventListener('abort', shutDown, { once: true });
  try {
    await Promise.all(Array.from({ length: workers }, () => work(options)));
  } finally {
    signal.removeEventListener('abort', shutDown);
  }
}

/**
 * With an in-process API server no worker waits for the network: the workers of a long queue would block the event loop
 * until it is empty, and timers, heartbeats among them, would not fire.
 */
const ITEMS_PER_TURN = 20;

async function work<T>({ queue, handle, isExpected, signal, logger }: WorkerOptions<T>): Promise<void> {
  for (let handled = 1; ; handled++) {
    const item = await queue.get();
    if (handled % ITEMS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    if (item === undefined || signal.aborted) {
      if (item !== undefined) queue.done(item);
      return;
    }
    const causes = queue.takeCauses(item);
    try {
      await handle(item, signal, causes);
      queue.forget(item);
    } catch (error) {
      if (!(signal.aborted && isAbort(error, signal))) {
        // At a shutdown others have ended before: their refusals are no news, and nothing is retried.
        if (signal.aborted || isExpected?.(error))
          logger
            ?.v(2)
            .info('Sync failed; the item will be retried', { err: error, item, requeues: queue.requeues(item) });
        else logger?.error(error, 'Sync failed; the item will be retried', { item, requeues: queue.requeues(item) });
        queue.addRateLimited(item, causes);
      }
    } finally {
      queue.done(item);
    }
  }
}
