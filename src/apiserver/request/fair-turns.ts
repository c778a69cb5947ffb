/**
 * Turns of the event loop for work that many requests do at the same time: each of them gets one turn after the other, however
 * many there are, so that requests with little work wait for one slice of it and not for all.
 */
import type { Clock } from '../../kernel/index.ts';

const queues = new WeakMap<Clock, Promise<void>>();

/** Resolves in a turn that no other caller of this function has. */
export function fairTurn(clock: Clock): Promise<void> {
  const turn = (queues.get(clock) ?? Promise.resolve()).then(() => clock.yield());
  queues.set(clock, turn);
  return turn;
}
