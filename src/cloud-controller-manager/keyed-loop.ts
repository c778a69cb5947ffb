import { isConflict, tracedWork, type Work } from '../client/index.ts';
import { runWorkers, WorkQueue } from '../kernel/index.ts';
import type { CloudControllerContext } from './controller.ts';

/** A work queue of object keys, and the loop that reconciles them. */
export function keyedLoop(
  context: CloudControllerContext,
  name: string,
  reconcile: Work<CloudControllerContext>,
  workers = 1,
): { queue: WorkQueue<string>; run(): Promise<void> } {
  const { clock, metrics, logger, signal } = context;
  const queue = new WorkQueue<string>({ name, clock, metrics });
  const handle = tracedWork(context, name, reconcile);
  return {
    queue,
    run: () => runWorkers({ queue, workers, handle, isExpected: isConflict, signal, logger }),
  };
}
