import type { WorkQueue } from '../kernel/index.ts';
import type { SharedInformer } from './informer.ts';
import { keyOf, type ApiObject } from './resource.ts';

/** Enqueues the key of every object that an informer adds, updates or deletes. */
export function enqueueOnChange<T extends ApiObject>(
  informer: SharedInformer<T>,
  queue: WorkQueue<string>,
  keyFor: (object: T) => string | undefined = keyOf,
): void {
  const add = (object: T): void => {
    const key = keyFor(object);
    if (key !== undefined) queue.add(key);
  };
  informer.addHandler({
    onAdd: add,
    onUpdate: (before, after) => {
      add(after);
      const previous = keyFor(before);
      if (previous !== undefined && previous !== keyFor(after)) queue.add(previous);
    },
    onDelete: add,
  });
}
