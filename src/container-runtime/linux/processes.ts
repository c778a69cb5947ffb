/** Processes by their id, told apart from later ones that got the same id. */
import fs from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** When the kernel started it, in clock ticks since boot: what a later process with this id has not. */
  readonly startTime: string;
}

/** Undefined when there is no such process, or only its zombie is left. */
export function identify(pid: number): ProcessIdentity | undefined {
  let stat: string;
  try {
    stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name stands in parentheses and may hold any character; the fields after it are plain.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return { pid, startTime: fields[19] ?? '' };
}

export function isAlive(process: ProcessIdentity): boolean {
  return identify(process.pid)?.startTime === process.startTime;
}

/** Sends a signal to this very process; false when it is gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals | number): boolean {
  if (!isAlive(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** A pid that a program wrote to a file; undefined while there is none. */
export function readPidFile(file: string): number | undefined {
  try {
    const pid = Number.parseInt(fs.readFileSync(file, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
