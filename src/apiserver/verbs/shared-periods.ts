/**
 * Periodic work of many watches with few timers: what begins within the same second shares one. Informers start together, so
 * that an idle server wakes up a few times a minute instead of once for each watch. Pays for idle clusters, on virtual time
 * above all.
 */
import type { Clock, Timer } from '../../kernel/index.ts';

const TOGETHER_MS = 1_000;

interface Round {
  readonly fires: Set<() => void>;
  readonly timer: Timer;
}

const roundsOfClocks = new WeakMap<Clock, Map<string, Round>>();

/** Calls `fire` every `ms`, for the first time up to a second early. */
export function everyTogether(clock: Clock, ms: number, fire: () => void): Timer {
  const rounds = roundsOfClocks.get(clock) ?? new Map<string, Round>();
  roundsOfClocks.set(clock, rounds);
  const phase = Math.floor(clock.monotonic() / TOGETHER_MS) * TOGETHER_MS;
  const key = `${ms} ${phase % ms}`;
  const round = rounds.get(key) ?? newRound(clock, ms, phase + ms - clock.monotonic());
  rounds.set(key, round);
  const joined = (): void => fire();
  round.fires.add(joined);
  return {
    cancel: () => {
      if (!round.fires.delete(joined) || round.fires.size > 0) return;
      round.timer.cancel();
      if (rounds.get(key) === round) rounds.delete(key);
    },
  };
}

function newRound(clock: Clock, ms: number, delayMs: number): Round {
  const fires = new Set<() => void>();
  const fireAll = (): void => {
    for (const fire of [...fires]) fire();
  };
  let timer = clock.after(delayMs, () => {
    timer = clock.every(ms, fireAll);
    fireAll();
  });
  return { fires, timer: { cancel: () => timer.cancel() } };
}
