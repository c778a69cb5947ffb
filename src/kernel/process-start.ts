import fs from 'node:fs';

/**
 * When a process started, in clock ticks: pids are used again. Undefined when there is no such process; empty where there is no
 * /proc.
 */
export function processStart(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
  }
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command's name, in parentheses, may hold spaces; the start time is the 20th field behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended.
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return '';
  }
}

/** Whether the process that had this start still runs. Where there is no /proc, any process with its pid counts. */
export function isStillRunning(pid: number, start: string): boolean {
  const now = processStart(pid);
  return now !== undefined && (start === '' || now === '' || now === start);
}
