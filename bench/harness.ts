/**
 * What a bench module is made of. `bench/<topic>.ts` exports `name` and `run`; `npm run bench` finds it by that, runs it
 * in a process of its own and prints its rows. `--filter TEXT` picks modules by name; `--against KUBECONFIG` reaches the
 * modules that can do the same work on another API server.
 */
export interface BenchOptions {
  /** A kubeconfig of an API server to do the same work against. */
  against?: string;
  /** How long to measure each row, in milliseconds. */
  durationMs: number;
}

export interface Row {
  /** What was done: `GET Pod`, `decode a Deployment`. */
  work: string;
  value: number;
  /** `/s`, `ms`, `MB`… */
  unit: string;
  /** What we owe: at least for rates, at most for times and sizes. */
  atLeast?: number;
  atMost?: number;
  /** The same work on the other API server. */
  against?: number;
}

export interface BenchModule {
  name: string;
  run(options: BenchOptions): Promise<Row[]>;
}

const WARM_UP_SHARE = 0.3;
const BATCH_MS = 5;

/** Calls `work` for `durationMs` after a warm-up and gives calls per second, of the best of five equal slices. */
export function callsPerSecond(work: () => void, durationMs: number): number {
  let batch = 1;
  const runFor = (ms: number): number => {
    const start = performance.now();
    let calls = 0;
    let elapsed = 0;
    while (elapsed < ms) {
      const before = elapsed;
      for (let i = 0; i < batch; i++) work();
      calls += batch;
      elapsed = performance.now() - start;
      if (elapsed - before < BATCH_MS) batch *= 2;
    }
    return (calls / elapsed) * 1000;
  };
  runFor(durationMs * WARM_UP_SHARE);
  return Math.max(...Array.from({ length: 5 }, () => runFor(durationMs / 5)));
}

/** As `callsPerSecond`, with `concurrency` calls under way at any time. */
export async function asyncCallsPerSecond(
  work: () => Promise<void>,
  options: { durationMs: number; concurrency: number },
): Promise<number> {
  const runFor = async (ms: number): Promise<number> => {
    const start = performance.now();
    let calls = 0;
    const lane = async (): Promise<void> => {
      while (performance.now() - start < ms) {
        await work();
        calls++;
      }
    };
    await Promise.all(Array.from({ length: options.concurrency }, lane));
    return (calls / (performance.now() - start)) * 1000;
  };
  await runFor(options.durationMs * WARM_UP_SHARE);
  return runFor(options.durationMs);
}
