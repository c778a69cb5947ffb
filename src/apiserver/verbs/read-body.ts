/** Reading a request's body, and letting other requests run between the stages of a large one. */
import type { Growth } from '../../machinery/decode/index.ts';
import type { Scope } from './scope.ts';

/** The stages of a request with a larger body run in separate turns of the event loop. */
const LARGE_BODY = 32 * 1024;
/** So do those of any write to a larger stored object. */
const LARGE_OBJECT = 128 * 1024;

/** Reads the body, and notes in the scope whether it is large. */
export async function readBodyOf(scope: Scope): Promise<Buffer> {
  const body = await scope.request.readBody();
  scope.backend.requestSizes.observe(scope.served, scope.info.verb, body.length);
  if (body.length >= LARGE_BODY) {
    scope.isLarge = true;
    await scope.backend.ctx.clock.yield();
  }
  return body;
}

/** Notes in the scope whether the object that is written to is large: a small patch of it takes as long as a large one. */
export function noteStoredSize(scope: Scope): void {
  const { served, place } = scope;
  if ((served.cache.get(place.namespace, place.name)?.size ?? 0) >= LARGE_OBJECT) scope.isLarge = true;
}

/** Lets other requests run between two stages of a large one. */
export const betweenStages = ({ isLarge, backend }: Scope): Promise<void> | undefined =>
  isLarge ? backend.ctx.clock.yield() : undefined;

/** A small body that its defaults make large is handled as a large one. */
export function noteGrowth(scope: Scope, { bytes }: Growth): void {
  if (bytes >= LARGE_BODY) scope.isLarge = true;
}
