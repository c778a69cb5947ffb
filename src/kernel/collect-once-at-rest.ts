import { setFlagsFromString } from 'node:v8';

/**
 * When a process comes to rest after much work, V8 collects its whole heap up to three times in a row to give memory
 * back. The first time frees what there is to free; each further one costs a second of processor time on a heap of
 * 200 MB. Only for programs that own their process, and only as they start: V8 ends a process whose number of
 * collections is lowered between two of them.
 */
export function collectOnceAtRest(): void {
  const flag = collectOnceFlag(process.versions.v8);
  if (flag === undefined) return;
  setFlagsFromString(flag);
  // Compiled code is of use only under the flags with which it was kept: the program keeps its own as it ends, for its next start.
  process.prependOnceListener('exit', () => setFlagsFromString(flag.replace('--', '--no-')));
}

/** Flags come and go with versions of V8, which complains of those that it does not know. This one is Node 20's. */
export function collectOnceFlag(version: string): string | undefined {
  return version.startsWith('11.3.') ? '--memory-reducer-single-gc' : undefined;
}
