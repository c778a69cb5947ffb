/**
 * Work that can be interrupted: it yields after every piece that is not worth interrupting. Whoever has others to serve
 * takes a few pieces at a time. Pieces that weigh more than others say how many times as much.
 */
export type Steps<T> = Generator<number | void, T>;

const BYTES_OF_A_STEP = 2048;

export const weightOf = (bytes: Uint8Array): number => Math.ceil(bytes.length / BYTES_OF_A_STEP);

/** For what should have a turn of its own. */
export const HEAVY = 1000;

export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
