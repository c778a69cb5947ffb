/**
 * Turns of the event loop for work that many requests do at once. The requests take turns, so that a request with
 * little work waits for one slice of the others' work and not for all of it.
 */
import type { Clock } from '../../kernel/index.ts';

const queues = new WeakMap<Clock, Promise<void>>();

/** Resolves in a turn of the event loop that no other caller gets. */
export function fairTurn(clock: Clock): Promise<void> {
  const turn = (queues.get(clock) ?? Promise.resolve()).then(() => clock.yield());
  queues.set(clock, turn);
  return turn;
}
