/** Reading a request's body, and letting other requests run between the stages of a large one. */
import type { Scope } from './scope.ts';

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
