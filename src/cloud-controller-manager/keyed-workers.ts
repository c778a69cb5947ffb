import { isConflict, keyOf, type ApiObject, type SharedInformer } from '../client/index.ts';
import { runWorkers, WorkQueue } from '../kernel/index.ts';
import type { CloudControllerContext } from './controller.ts';

/** A queue of keys and the loop that works it off. */
export function keyedWorkers(context: CloudControllerContext, name: string, reconcile: (key: string) => Promise<void>, workers = 1): { queue: WorkQueue<string>; run(): Promise<void> } {
  const { clock, metrics, logger, signal } = context;
  const queue = new WorkQueue<string>({ name, clock, metrics });
  return { queue, run: () => runWorkers({ queue, workers, handle: reconcile, isExpected: isConflict, signal, logger }) };
}

export function enqueue<T extends ApiObject>(informer: SharedInformer<T>, queue: WorkQueue<string>, keyFor: (object: T) => string | undefined = keyOf): void {
  const add = (object: T): void => {
    const key = keyFor(object);
    if (key !== undefined) queue.add(key);
  };
  informer.addHandler({ onAdd: add, onUpdate: (_before, after) => add(after), onDelete: add });
}
