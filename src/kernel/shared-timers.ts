/**
 * Timers that need not be exact, many with one timer of the clock: what is due within the same few seconds fires together.
 * A server with a hundred watches wakes up a few times a minute instead of once for each, which is most of what an idle
 * cluster does, on virtual time above all.
 */
import type { Clock, Timer } from './clock.ts';

const TOGETHER_MS = 5_000;

interface Round {
  readonly fires: Set<() => void>;
  readonly timer: Timer;
}

/** By when they are due. */
const roundsOfClocks = new WeakMap<Clock, Map<string, Round>>();

/** Calls `fire` every `ms`, for the first time up to `togetherMs` early. */
export function everyTogether(clock: Clock, ms: number, fire: () => void, togetherMs = TOGETHER_MS): Timer {
  const phase = Math.floor(clock.monotonic() / togetherMs) * togetherMs;
  const delayMs = phase + ms - clock.monotonic();
  return join(clock, `every ${ms} ${phase % ms}`, fire, (fireAll) => {
    let timer = clock.after(delayMs, () => {
      timer = clock.every(ms, fireAll);
      fireAll();
    });
    return { cancel: () => timer.cancel() };
  });
}

/** Calls `fire` once, after `ms` or up to `togetherMs` later. */
export function afterTogether(clock: Clock, ms: number, fire: () => void, togetherMs = TOGETHER_MS): Timer {
  const at = Math.ceil((clock.monotonic() + ms) / togetherMs) * togetherMs;
  const key = `after ${at}`;
  return join(clock, key, fire, (fireAll) =>
    clock.after(at - clock.monotonic(), () => {
      roundsOfClocks.get(clock)?.delete(key);
      fireAll();
    }),
  );
}

function join(clock: Clock, key: string, fire: () => void, start: (fireAll: () => void) => Timer): Timer {
  const rounds = roundsOfClocks.get(clock) ?? new Map<string, Round>();
  roundsOfClocks.set(clock, rounds);
  const round = rounds.get(key) ?? newRound(start);
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

function newRound(start: (fireAll: () => void) => Timer): Round {
  const fires = new Set<() => void>();
  const fireAll = (): void => {
    // One of them may end another.
    for (const fire of [...fires]) if (fires.has(fire)) fire();
  };
  return { fires, timer: start(fireAll) };
}
