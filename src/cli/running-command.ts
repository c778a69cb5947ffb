/** How a running process was started, so that another program can be started in its place. */
import fs from 'node:fs';

export interface RunningCommand {
  /** The command and its flags: `up --port 6443`. */
  readonly command: 'up' | 'join';
  readonly flags: readonly string[];
  readonly directory: string;
  /** What precedes them: Node, its flags, the program. */
  readonly program: readonly string[];
}

/** Undefined where there is no /proc, and for a process that is not `k8ts up` or `k8ts join`. */
export function runningCommand(pid: number): RunningCommand | undefined {
  let words: string[];
  let directory: string;
  try {
    words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    directory = fs.readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
  const at = words.findIndex((word, index) => index > 0 && (word === 'up' || word === 'join'));
  if (at < 0) return undefined;
  return {
    command: words[at] as RunningCommand['command'],
    flags: words.slice(at + 1),
    directory,
    program: words.slice(0, at),
  };
}
