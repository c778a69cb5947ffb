/** Descends into nested schemas: immediately, or later in steps. */
import type { FieldError } from '../../errors/index.ts';

/** Runs the check of a nested schema, now or later. */
export type Descend = (check: () => void) => void;

export const AT_ONCE: Descend = (check) => check();

/**
 * Runs a check with its nested checks, one step per schema. Returns false at the first error; the check without steps
 * then reports all errors in order.
 */
export function* inSteps(errors: readonly FieldError[], check: (later: Descend) => void): Generator<void, boolean> {
  const pending: (() => void)[] = [];
  check((inner) => void pending.push(inner));
  for (let next = pending.pop(); next && errors.length === 0; next = pending.pop()) {
    next();
    yield;
  }
  return errors.length === 0;
}
