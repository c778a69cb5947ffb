/**
 * What arrives together is worked on together. One read of a connection can bring many requests; Node would have each
 * of them served before it looks at the next, so that the code of the protocol and that of the pipeline keep throwing
 * each other out of the processor's caches. Begun one after another they cost half as much. But not all of a crowd at once:
 * between a few of them and the next few the event loop turns, so that the first ones' writes are on their way to the disk,
 * and their answers to their clients, while the last ones are looked at.
 */
import type { Clock } from '../../kernel/index.ts';

export type Together = (begin: () => void) => void;

const AT_A_TURN = 8;

/** `begin` is called once everything is read that came in with it; it must not fail. */
export function together(clock: Clock): Together {
  let waiting: (() => void)[] = [];
  let next = 0;
  const beginSome = (): void => {
    const upTo = Math.min(waiting.length, next + AT_A_TURN);
    while (next < upTo) waiting[next++]!();
    if (next < waiting.length) return turn();
    waiting = [];
    next = 0;
  };
  const turn = (): void => void clock.yield().then(beginSome);
  return (begin) => {
    waiting.push(begin);
    if (waiting.length === 1) turn();
  };
}
