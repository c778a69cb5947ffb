/**
 * Long work in steps: a generator that yields after every step, so that a server can serve other requests in between. A step
 * may yield its weight, which says how many average steps it took.
 */
export type Steps<T> = Generator<number | void, T>;

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
