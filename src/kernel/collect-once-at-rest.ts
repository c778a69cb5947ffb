/**
 * When a process becomes idle after much work, V8 collects its whole heap up to three times in a row to give memory back. The
 * first collection frees what can be freed; each further one costs a second of processor time on a heap of 200 MB. Pays for the
 * processor time at rest in the bench module `cluster-scale`.
 */
import { setFlagsFromString } from 'node:v8';

/** Only for programs that own their process, and only as they start: V8 aborts when the number is lowered between collections. */
export function collectOnceAtRest(): void {
  const flag = collectOnceFlag(process.versions.v8);
  if (flag === undefined) return;
  setFlagsFromString(flag);
  // V8 accepts cached code only under the flags of the process that wrote it, which happens at exit.
  process.prependOnceListener('exit', () => setFlagsFromString(flag.replace('--', '--no-')));
}

/** Flags come and go with versions of V8, which warns about unknown ones. This one is Node 20's. */
export function collectOnceFlag(version: string): string | undefined {
  return version.startsWith('11.3.') ? '--memory-reducer-single-gc' : undefined;
}
