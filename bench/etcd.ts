import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEtcdStore, openEmbeddedStore, type Store, type TxnOperation } from '../src/etcd/index.ts';
import { RealClock } from '../src/kernel/index.ts';
import { findProgram } from '../test/requires.ts';
import { startEtcd } from '../test/etcd-process.ts';
import type { BenchOptions, Row } from './harness.ts';

/**
 * The store as the API server sees it: embedded in its own process, against Debian's etcd over gRPC, in one run on one
 * disk; and `k8ts etcd` against etcd with the same client.
 */
export const name = 'etcd';

const WRITERS = 64;
const RANGE_KEYS = 10_000;
const WATCHERS = 1000;
const WATCHED_PUTS = 50;
const clock = new RealClock();
const value = new Uint8Array(1024).fill(120);

interface Rates {
  putsPerSecond: number;
  putLatencyMs: number;
  rangesPerSecond: number;
  deliveriesPerSecond: number;
}

export async function run(options: BenchOptions): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bench-etcd-'));
  try {
    const embedded = await measureEmbedded(join(directory, 'embedded'), options.durationMs);
    const front = await measureFront(join(directory, 'front'), options.durationMs);
    const etcd = findProgram('etcd') === undefined ? undefined : await measureEtcd(options.durationMs);
    return [...compare('embedded', embedded, etcd, 3), ...compare('k8ts etcd over gRPC', front, etcd, 0.5), await openLarge(join(directory, 'large'))];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function compare(what: string, ours: Rates, theirs: Rates | undefined, factor: number): Row[] {
  const row = (work: string, unit: string, rate: keyof Rates): Row => ({
    work: `${what}: ${work}`,
    unit,
    value: ours[rate],
    against: theirs?.[rate],
    atLeast: theirs === undefined ? undefined : theirs[rate] * factor,
  });
  return [
    row(`put 1 KB, ${WRITERS} writers`, 'puts/s', 'putsPerSecond'),
    {
      work: `${what}: put 1 KB, one writer`,
      unit: 'ms',
      value: ours.putLatencyMs,
      against: theirs?.putLatencyMs,
      atMost: theirs === undefined ? undefined : theirs.putLatencyMs / Math.min(1, factor),
    },
    row(`range of ${RANGE_KEYS} keys of 1 KB`, 'ranges/s', 'rangesPerSecond'),
    row(`watch, ${WATCHERS} watchers`, 'events/s', 'deliveriesPerSecond'),
  ];
}

async function measureEmbedded(directory: string, durationMs: number): Promise<Rates> {
  const store = await openEmbeddedStore({ directory, clock });
  try {
    return await measure(store, durationMs);
  } finally {
    await store.close();
  }
}

async function measureEtcd(durationMs: number): Promise<Rates> {
  const cluster = await startEtcd();
  const store = createEtcdStore({ endpoints: cluster.endpoints, clock, requestTimeoutMs: 60_000 });
  try {
    return await measure(store, durationMs);
  } finally {
    await store.close();
    await cluster.close();
  }
}

/** In a process of its own, as etcd is. */
async function measureFront(directory: string, durationMs: number): Promise<Rates> {
  const index = JSON.stringify(join(import.meta.dirname, '../src/etcd/index.ts'));
  const kernel = JSON.stringify(join(import.meta.dirname, '../src/kernel/index.ts'));
  const script = `
    const { runEtcdCommand } = await import(${index});
    const { createContext, silentLogger } = await import(${kernel});
    const argv = ['--data-dir', ${JSON.stringify(directory)}, '--listen-client-urls', 'http://127.0.0.1:0'];
    await runEtcdCommand(createContext({ logger: silentLogger }), argv, { onReady: ([url]) => console.log(url) });`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const store = createEtcdStore({ endpoints: [line.toString().trim()], clock, requestTimeoutMs: 60_000 });
    try {
      return await measure(store, durationMs);
    } finally {
      await store.close();
    }
  } finally {
    await end(child);
  }
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function measure(store: Store, durationMs: number): Promise<Rates> {
  await put(store, 'warm-up', durationMs / 4, 8);
  const single = await put(store, 'single', durationMs, 1);
  const many = await put(store, 'many', durationMs * 2, WRITERS);
  await fill(store, 'range/', RANGE_KEYS);
  return {
    putsPerSecond: many.perSecond,
    putLatencyMs: 1000 / single.perSecond,
    rangesPerSecond: await ranges(store, durationMs),
    deliveriesPerSecond: await fanOut(store),
  };
}

async function put(store: Store, prefix: string, durationMs: number, writers: number): Promise<{ perSecond: number }> {
  const start = clock.monotonic();
  const end = start + durationMs;
  let count = 0;
  const write = async (): Promise<void> => {
    while (clock.monotonic() < end) await store.txn({ success: [{ op: 'put', key: `/registry/${prefix}/${count++ % 10_000}`, value }] });
  };
  await Promise.all(Array.from({ length: writers }, write));
  return { perSecond: (count / (clock.monotonic() - start)) * 1000 };
}

async function fill(store: Store, prefix: string, count: number): Promise<void> {
  const batches: TxnOperation[][] = [];
  for (let i = 0; i < count; i += 100) {
    batches.push(Array.from({ length: 100 }, (_, n) => ({ op: 'put', key: prefix + String(i + n).padStart(9, '0'), value })));
  }
  const work = async (): Promise<void> => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) await store.txn({ success: batch });
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

async function ranges(store: Store, durationMs: number): Promise<number> {
  const start = clock.monotonic();
  let count = 0;
  while (clock.monotonic() - start < durationMs || count < 5) {
    const { kvs } = await store.range({ key: 'range/', rangeEnd: 'range0' });
    if (kvs.length !== RANGE_KEYS) throw new Error(`${kvs.length} keys`);
    count++;
  }
  return (count / (clock.monotonic() - start)) * 1000;
}

async function fanOut(store: Store): Promise<number> {
  const startRevision = (await store.revision()) + 1;
  const watches = Array.from({ length: WATCHERS }, () => store.watch({ key: 'watched', startRevision }));
  const iterators = watches.map((watch) => watch[Symbol.asyncIterator]());
  const take = async (iterator: (typeof iterators)[number], wanted: number): Promise<void> => {
    for (let seen = 0; seen < wanted; ) seen += ((await iterator.next()).value as { events: unknown[] }).events.length;
  };
  const write = (): Promise<unknown> => store.txn({ success: [{ op: 'put', key: 'watched', value }] });
  // Until the first event has reached all of them, some may still be connecting.
  await Promise.all([...iterators.map((iterator) => take(iterator, 1)), write()]);
  const start = clock.monotonic();
  const writing = (async () => {
    for (let i = 0; i < WATCHED_PUTS; i++) await write();
  })();
  await Promise.all([...iterators.map((iterator) => take(iterator, WATCHED_PUTS)), writing]);
  const seconds = (clock.monotonic() - start) / 1000;
  for (const watch of watches) watch.cancel();
  return (WATCHERS * WATCHED_PUTS) / seconds;
}

async function openLarge(directory: string): Promise<Row> {
  const keys = process.env.K8TS_EVERYTHING === '1' ? 1_000_000 : 100_000;
  const building = await openEmbeddedStore({ directory, clock });
  await fill(building, 'large/', keys);
  await building.close();
  const start = clock.monotonic();
  const store = await openEmbeddedStore({ directory, clock });
  const { kvs } = await store.range({ key: 'large/000050000' });
  const elapsed = clock.monotonic() - start;
  await store.close();
  if (kvs.length !== 1) throw new Error('the large store lost a key');
  return { work: `embedded: open a store of ${keys.toLocaleString('en-US')} keys of 1 KB and read one`, unit: 'ms', value: elapsed, atMost: 1000 };
}
