import { RealClock, VirtualClock, type Clock } from '../index.ts';

interface UntilOptions {
  /** A virtual clock is moved between two checks; default: the machine's. */
  readonly clock?: Clock;
  /** Time on `clock` after which waiting fails; default a minute. */
  readonly limitMs?: number;
  /** Time on `clock` between two checks, perhaps depending on how much has passed; default 20 ms. */
  readonly intervalMs?: number | ((passedMs: number) => number);
  /** Real time between two checks on a virtual clock, for I/O and other threads; default: a turn of the event loop. */
  readonly realMs?: number;
  /** Details for the error: the last log lines, for example. */
  readonly details?: () => string;
}

const machineClock = new RealClock();

/** Checks `condition` again and again. Throws, naming `what` was expected, when it does not hold in time. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  { clock = machineClock, limitMs = 60_000, intervalMs = 20, realMs = 0, details }: UntilOptions = {},
): Promise<void> {
  const startedAt = clock.monotonic();
  while (!(await condition())) {
    const passedMs = clock.monotonic() - startedAt;
    if (passedMs >= limitMs) throw new Error(`after ${limitMs} ms: ${what}${details ? `\n${details()}` : ''}`);
    const stepMs = Math.min(typeof intervalMs === 'number' ? intervalMs : intervalMs(passedMs), limitMs - passedMs);
    if (clock instanceof VirtualClock) {
      await clock.advance(stepMs);
      await machineClock.sleep(realMs);
    } else await clock.sleep(stepMs);
  }
}
