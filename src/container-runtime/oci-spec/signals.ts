/** Parses stop signals. */
import os from 'node:os';

const FIRST_REALTIME = 34;
const LAST_REALTIME = 64;

/** Signal names that Node's table does not have. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ SIGCLD: 'SIGCHLD', SIGIOT: 'SIGABRT', SIGPOLL: 'SIGIO' }),
);

/** The number of a signal: `TERM`, `SIGTERM`, `15`, `SIGRTMIN+3` and CRI's `SIGRTMINPLUS3`. */
export function signalNumber(text: string): number {
  if (/^\d+$/.test(text)) {
    const number = Number(text);
    if (number < 1 || number > LAST_REALTIME) throw new Error(`there is no signal ${text}`);
    return number;
  }
  const upper = text.toUpperCase();
  const name = upper.startsWith('SIG') ? upper : `SIG${upper}`;
  const realtime = /^SIGRT(MIN|MAX)(?:(?:PLUS|MINUS|\+|-)(\d+))?$/.exec(name);
  if (realtime) {
    const offset = Number(realtime[2] ?? 0);
    const number = realtime[1] === 'MIN' ? FIRST_REALTIME + offset : LAST_REALTIME - offset;
    if (number >= FIRST_REALTIME && number <= LAST_REALTIME) return number;
  }
  const known = os.constants.signals[(ALIASES.get(name) ?? name) as NodeJS.Signals];
  if (known === undefined) throw new Error(`there is no signal ${text}`);
  return known;
}
