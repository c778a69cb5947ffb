/** Guards recursion over what clients send: nesting that the stack does not hold is refused like any other bad input. */
import { badRequest } from '../errors/index.ts';

export function withinDepth<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError && error.message.includes('call stack')) throw badRequest('exceeded max depth');
    throw error;
  }
}
