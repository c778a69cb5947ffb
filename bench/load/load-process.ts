/** The client side of a measurement, in a process of its own: reads one load from its arguments, sends the result. */
import type { FrameClient } from './frame-client.ts';
import type { Load, LoadResult, RequestLoad, WatchLoad } from './load.ts';
import { percentiles } from './percentiles.ts';
import { authorization, call, connect, fail, RequestLanes } from './request-lanes.ts';

const load = JSON.parse(process.argv[2] ?? '{}') as Load;
let number = 0;

async function requests(work: RequestLoad): Promise<LoadResult> {
  const lanes = new RequestLanes(work);
  await lanes.runWhile((begun) => begun < work.warmUp);
  process.send?.('warm');
  const { latencies, elapsed } = await lanes.runWhile((_begun, ms) => ms < work.durationMs);
  lanes.close();
  return {
    perSecond: (latencies.length / elapsed) * 1000,
    count: latencies.length,
    errors: lanes.errors,
    ...(lanes.firstError ? { firstError: lanes.firstError } : {}),
    ...percentiles(latencies),
  };
}

/** Flow control refuses more watches that begin at once than it has seats. */
const MAX_OPENING = 16;
/** What API servers say in Retry-After. */
const RETRY_MS = 1000;
const NEWLINE = 0x0a;

function newlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** Events delivered to all watchers together, while one object is changed as fast as the events arrive. */
async function watch(work: WatchLoad): Promise<LoadResult> {
  const clients = Array.from({ length: work.connections }, () => connect(work.target));
  const writer = connect(work.target);
  const auth = authorization(work.target);
  let delivered = 0;
  let wanted = 0;
  let reached: (() => void) | undefined;
  const all = (count: number): Promise<void> => {
    wanted = count;
    return new Promise((resolve) => {
      reached = resolve;
      if (delivered >= wanted) resolve();
    });
  };
  const watched = {
    ':method': 'GET',
    ':path': `${work.collection}?watch=true&fieldSelector=metadata.name%3D${work.name}`,
    accept: 'application/json',
    ...auth,
  };
  /** Resolves when the watch has begun: every watch begins with the object as it is. False when the server is too busy. */
  const open = (client: FrameClient): Promise<boolean> =>
    new Promise((resolve) => {
      let refused = false;
      client.request(watched, {
        onHead: (status) => {
          refused = status === 429;
          if (status !== 200 && !refused) fail(`a watch was refused: ${status}`);
        },
        onData: (bytes) => {
          if (refused) return;
          resolve(true);
          delivered += newlines(bytes);
          if (delivered >= wanted) reached?.();
        },
        onEnd: () => (refused ? resolve(false) : fail('the server ended a watch')),
      });
    });
  let opened = 0;
  const opener = async (): Promise<void> => {
    while (opened < work.watchers) {
      const client = clients[opened++ % clients.length]!;
      while (!(await open(client))) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  };
  await Promise.all(Array.from({ length: MAX_OPENING }, opener));
  await all(work.watchers);
  process.send?.('warm');
  const put = {
    ':method': 'PUT',
    ':path': `${work.collection}/${work.name}`,
    'content-type': 'application/json',
    ...auth,
  };
  const latencies: number[] = [];
  let errors = 0;
  const start = performance.now();
  const before = delivered;
  while (performance.now() - start < work.durationMs) {
    const began = performance.now();
    const [{ status }] = await Promise.all([
      call(writer, put, work.body.replaceAll('{n}', String(number++))),
      all(delivered + work.watchers),
    ]);
    if (status >= 300) errors++;
    latencies.push(performance.now() - began);
  }
  const elapsed = performance.now() - start;
  const count = delivered - before;
  for (const client of [...clients, writer]) client.close();
  return { perSecond: (count / elapsed) * 1000, count, errors, ...percentiles(latencies) };
}

process.send?.(load.type === 'requests' ? await requests(load) : await watch(load));
process.disconnect?.();
