/**
 * Collects the errors of a validation up to a limit. A small body can have very many errors (a list of empty
 * containers), and finding all of them would block other requests.
 */
import type { FieldError } from '../errors/index.ts';

export const MAX_ERRORS = 1000;

class TooManyErrors extends Error {}

class ErrorList extends Array<FieldError> {
  override push(...errors: FieldError[]): number {
    const length = super.push(...errors);
    if (length >= MAX_ERRORS) throw new TooManyErrors();
    return length;
  }
}

/** The errors that `find` adds to its list; it is stopped at the limit. */
export function collectErrors(find: (errors: FieldError[]) => void): FieldError[] {
  const errors = new ErrorList();
  try {
    find(errors);
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error;
  }
  return Array.from(errors);
}
