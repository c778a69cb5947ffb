/** Time as a server's threads have had it: what the machine gave to other processes meanwhile does not count. */
import fs from 'node:fs';

/** Milliseconds on a processor, by thread; undefined where the system does not tell. */
function threadTimes(pid: number): Map<string, number> | undefined {
  try {
    const folder = `/proc/${pid}/task`;
    return new Map(
      fs
        .readdirSync(folder)
        .map((thread) => [
          thread,
          Number(fs.readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
        ]),
    );
  } catch {
    return undefined;
  }
}

/**
 * How long the call would have waited for the server on a quiet machine, at most: the threads that have the port and the pipeline
 * take turns with a request, so it is what the two busiest of them did meanwhile.
 */
export async function waitingTime(pid: number, call: () => Promise<void>): Promise<number> {
  const before = threadTimes(pid);
  const since = performance.now();
  await call();
  const elapsed = performance.now() - since;
  const after = threadTimes(pid);
  if (!before || !after) return elapsed;
  const [busiest = 0, next = 0] = [...after]
    .map(([thread, time]) => time - (before.get(thread) ?? 0))
    .sort((a, b) => b - a);
  return Math.min(elapsed, busiest + next);
}
