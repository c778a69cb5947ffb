/**
 * Collects the errors of a validation, up to a number that nobody reads to the end. A small body can have errors without
 * end (a list of empty containers), and finding all of them would keep everybody else waiting.
 */
import type { FieldError } from '../errors/index.ts';

export const ENOUGH_ERRORS = 1000;

class Enough extends Error {}

class ErrorList extends Array<FieldError> {
  override push(...errors: FieldError[]): number {
    const length = super.push(...errors);
    if (length >= ENOUGH_ERRORS) throw new Enough();
    return length;
  }
}

/** The errors that `find` adds to its list; it is broken off when they are enough. */
export function collectErrors(find: (errors: FieldError[]) => void): FieldError[] {
  const errors = new ErrorList();
  try {
    find(errors);
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return Array.from(errors);
}
