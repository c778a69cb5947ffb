import { setFlagsFromString } from 'node:v8';

const LATEST_SECONDS = 6;

/**
 * Makes V8's memory reducer run one full GC when the process becomes idle, instead of up to three in a row. The first one
 * frees all there is to free; each further one costs a second of CPU on a heap of 200 MB. Only for programs that own
 * their process, and only at start: V8 aborts when the flag changes between two of these GCs. The first one starts 8 s after
 * V8 has seen garbage, so a program that took longer to get here, on a busy machine, goes on without the flag. Pays for the
 * processor time at rest in the bench module `cluster-scale`.
 */
export function enableSingleIdleGc(uptimeSeconds = process.uptime()): void {
  const flag = singleIdleGcFlag(process.versions.v8);
  if (flag === undefined || uptimeSeconds > LATEST_SECONDS) return;
  setFlagsFromString(flag);
  // V8 rejects cached code that was compiled under other flags. The program writes its code cache at exit, without this flag.
  process.prependOnceListener('exit', () => setFlagsFromString(flag.replace('--', '--no-')));
}

/** V8 prints an error for flags that it does not know. This one exists in Node 20. */
export function singleIdleGcFlag(version: string): string | undefined {
  return version.startsWith('11.3.') ? '--memory-reducer-single-gc' : undefined;
}
