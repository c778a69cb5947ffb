/** Long work of one request in slices, with other requests between them. */
import type { Clock } from '../../kernel/index.ts';

const STEPS_PER_SLICE = 80;

/** `steps` yields after every piece of work that is not worth interrupting, and may yield its weight; 1 by default. */
export async function inSlices<T>(clock: Pick<Clock, 'yield'>, steps: Generator<number | void, T>): Promise<T> {
  let count = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    count += step.value ?? 1;
    if (count < STEPS_PER_SLICE) continue;
    await clock.yield();
    count = 0;
  }
}
