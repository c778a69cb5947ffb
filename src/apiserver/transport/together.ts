/**
 * What arrives together is worked on together. One read of a connection can bring many requests; Node would have each
 * of them served before it looks at the next, so that the code of the protocol and that of the pipeline keep throwing
 * each other out of the processor's caches. Begun one after another they cost half as much.
 */
import type { Clock } from '../../kernel/index.ts';

export type Together = (begin: () => void) => void;

/** `begin` is called once everything is read that came in with it; it must not fail. */
export function together(clock: Clock): Together {
  let waiting: (() => void)[] = [];
  const beginAll = (): void => {
    const all = waiting;
    waiting = [];
    for (const begin of all) begin();
  };
  return (begin) => {
    waiting.push(begin);
    if (waiting.length === 1) void clock.yield().then(beginAll);
  };
}
