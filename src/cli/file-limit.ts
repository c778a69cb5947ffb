import fs from 'node:fs';
import { CommandError } from './command.ts';

/** The store, the port and every client's connection need one each. */
const NEEDED = 256;

/** Node raises the limit as far as it may; what is left is the system's hard limit. */
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
