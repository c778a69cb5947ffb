import fs from 'node:fs';
import { CommandError } from './command.ts';

/** The store, the port and every connection need a file descriptor. */
const NEEDED = 256;

/** Node raises the soft limit at start, so this is the hard limit. */
export function checkFileLimit(): void {
  let limits: string;
  try {
    limits = fs.readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return;
  }
  const [, soft = 'unlimited'] = /Max open files\s+(\S+)/.exec(limits) ?? [];
  if (soft !== 'unlimited' && Number(soft) < NEEDED)
    throw new CommandError(
      `only ${soft} files may be open at a time, and a cluster needs at least ${NEEDED}; raise the limit with "ulimit -n 4096" and start again`,
    );
}
