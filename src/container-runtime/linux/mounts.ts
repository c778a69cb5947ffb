/** Mounts and unmounts by system call, without starting a process. */
import fs from 'node:fs';
import { MNT_DETACH, mount, MS, SystemCallError, unmount } from './file-system-calls.ts';

export function bindMount(source: string, target: string): void {
  mount(source, target, { flags: MS.BIND });
}

export function mountTmpfs(target: string, options: string): void {
  mount('shm', target, { type: 'tmpfs', flags: MS.NOSUID | MS.NODEV | MS.NOEXEC, data: options });
}

/** Unmounts all mounts at this path; does nothing if there are none. */
export function unmountAll(target: string): void {
  for (;;) {
    try {
      unmount(target, MNT_DETACH);
    } catch (error) {
      if (error instanceof SystemCallError && (error.code === 'EINVAL' || error.code === 'ENOENT')) return;
      throw error;
    }
  }
}

/** The mount points at or below a directory, deepest first, as the kernel lists them. */
export function mountsBelow(directory: string): string[] {
  const prefix = `${directory}/`;
  return fs
    .readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => unescapeMountPath(line.split(' ')[4] ?? ''))
    .filter((point) => point === directory || point.startsWith(prefix))
    .toReversed();
}

/** The kernel escapes white space and backslashes in paths in octal. */
export function unescapeMountPath(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
