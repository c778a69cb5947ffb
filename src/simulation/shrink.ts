/**
 * Makes a failing plan shorter: leaves out parts of it, ever smaller ones, as long as the same check still fails. The result
 * is a plan of which nothing can be left out, or the best that was found within the tries.
 */
import type { Plan, Planned } from './plan.ts';

interface ShrinkOptions {
  /** How many plans are tried at most. */
  readonly tries?: number;
  readonly stillFails: (plan: Plan) => Promise<boolean>;
}

const DEFAULT_TRIES = 100;

export async function shrink(plan: Plan, { tries = DEFAULT_TRIES, stillFails }: ShrinkOptions): Promise<Plan> {
  let events = plan.events;
  let left = tries;
  for (let size = Math.ceil(events.length / 2); size >= 1 && left > 0;) {
    let removed = false;
    for (let from = 0; from < events.length && left > 0;) {
      const without: readonly Planned[] = [...events.slice(0, from), ...events.slice(from + size)];
      left--;
      if (await stillFails({ ...plan, events: without })) {
        events = without;
        removed = true;
      } else from += size;
    }
    if (size === 1 && !removed) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return { ...plan, events };
}
