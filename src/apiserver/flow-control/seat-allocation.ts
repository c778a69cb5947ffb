/** How the server's seats are divided: by shares first, then by demand. */
import type { PriorityLevel } from './priority-level.ts';

/** Every level gets its share of the seats, at least one. */
export function allocateNominal(levels: readonly PriorityLevel[], serverSeats: number): void {
  const total = levels.reduce((sum, { shares }) => sum + shares, 0);
  for (const level of levels) {
    level.nominalSeats = total === 0 ? 0 : Math.ceil((serverSeats * level.shares) / total);
    level.seats = Math.max(level.exempt ? 0 : 1, level.nominalSeats);
  }
}

/**
 * Lends the seats that some levels do not need to those that need more. Each level gets the same fraction of its
 * highest demand, but never less than it keeps for itself nor more than it may borrow. The fraction is the largest that
 * fits, and is returned.
 */
export function lendSeats(levels: readonly PriorityLevel[], serverSeats: number): number {
  const limited = levels.filter(({ exempt }) => !exempt);
  const wanted = limited.map((level) => Math.max(level.minSeats, level.highDemand, 1));
  const least = limited.map((level) => Math.max(level.minSeats, Math.min(level.nominalSeats, level.highDemand), 1));
  const given = (fraction: number): number[] =>
    limited.map((level, i) => Math.max(least[i]!, Math.min(level.maxSeats, Math.round(wanted[i]! * fraction))));
  let [low, high] = [0, serverSeats];
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    if (given(middle).reduce((sum, seats) => sum + seats, 0) <= serverSeats) low = middle;
    else high = middle;
  }
  const seats = given(low);
  for (const [i, level] of limited.entries()) {
    level.seats = seats[i]!;
    level.highDemand = level.executing + level.waiting;
  }
  return low;
}
