/** Turns a stack overflow on deeply nested input into a StatusError. */
import { badRequest } from '../errors/index.ts';

export function withinDepth<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError && error.message.includes('call stack')) throw badRequest('exceeded max depth');
    throw error;
  }
}
