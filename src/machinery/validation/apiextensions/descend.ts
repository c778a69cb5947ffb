/** How the checks of a schema get to the schemas inside it: at once, or later, a step at a time. */
import type { FieldError } from '../../errors/index.ts';

/** Checks what stands inside, now or later. */
export type Descend = (check: () => void) => void;

export const AT_ONCE: Descend = (check) => check();

/**
 * Runs a check with all that it leads to, a step for every schema, until something wrong is found: then false, and what
 * is wrong is for the check in one go to tell in its order.
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
