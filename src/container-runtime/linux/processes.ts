/** Identifies processes by pid and start time, so that a reused pid is not mistaken for the old process. */
import fs from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** The start time in clock ticks since boot, which differs for a later process with the same pid. */
  readonly startTime: string;
}

/** Undefined if there is no such process, or it is a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  let stat: string;
  try {
    stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name is in parentheses and may contain any character, also spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return { pid, startTime: fields[19] ?? '' };
}

export function isAlive(process: ProcessIdentity): boolean {
  return identify(process.pid)?.startTime === process.startTime;
}

/** Sends a signal to exactly this process; false if it has ended. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals | number): boolean {
  if (!isAlive(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Reads a pid file; undefined if it does not exist yet. */
export function readPidFile(file: string): number | undefined {
  try {
    const pid = Number.parseInt(fs.readFileSync(file, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
