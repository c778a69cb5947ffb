/** Long work of one request, a little at a time: the others have their turn in between. */
import type { Clock } from '../kernel/index.ts';

const STEPS_AT_ONCE = 25;

/** `steps` yields after every piece of work that is not worth interrupting. */
export async function inSlices<T>(clock: Clock, steps: Generator<void, T>): Promise<T> {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return step.value;
    if (count % STEPS_AT_ONCE === 0) await clock.yield();
  }
}
