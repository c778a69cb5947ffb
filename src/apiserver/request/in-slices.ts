/** Long work of one request, a little at a time: the others have their turn in between. */
import type { Clock } from '../../kernel/index.ts';
import type { Scope } from '../verbs/scope.ts';

/** From this size on, the body of a request is worked on in several turns: one for each stage of the pipeline. */
const LARGE_BODY = 32 * 1024;

/** Reads the body and notes on the request whether it is large. */
export async function readBodyOf(scope: Scope): Promise<Buffer> {
  const body = await scope.request.readBody();
  if (body.length >= LARGE_BODY) {
    scope.isLarge = true;
    await scope.backend.ctx.clock.yield();
  }
  return body;
}

/** Between two stages of a large request the others have their turn. */
export const betweenStages = ({ isLarge, backend }: Scope): Promise<void> | undefined =>
  isLarge ? backend.ctx.clock.yield() : undefined;

const STEPS_AT_ONCE = 80;

/** `steps` yields after every piece of work that is not worth interrupting, and may say how many times as heavy it was as others. */
export async function inSlices<T>(clock: Pick<Clock, 'yield'>, steps: Generator<number | void, T>): Promise<T> {
  let count = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    count += step.value ?? 1;
    if (count < STEPS_AT_ONCE) continue;
    await clock.yield();
    count = 0;
  }
}
