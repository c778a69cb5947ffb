import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEtcdStore, openEmbeddedStore, type Store, type TxnOperation } from '../src/etcd/index.ts';
import { RealClock } from '../src/kernel/index.ts';
import { startEtcd } from '../test/etcd-process.ts';
import { findProgram } from '../test/requires.ts';
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

/** How often every target gets its turn; the best turn counts, as a busy machine only ever makes things slower. */
const ROUNDS = 5;

interface Work {
  name: string;
  unit: string;
  better: 'more' | 'less';
  measure(store: Store, durationMs: number): Promise<number>;
}

const works: Work[] = [
  {
    name: `put 1 KB, ${WRITERS} writers`,
    unit: 'puts/s',
    better: 'more',
    measure: (store, ms) => putsPerSecond(store, 'many', ms, WRITERS),
  },
  {
    name: 'put 1 KB, one writer',
    unit: 'ms',
    better: 'less',
    measure: async (store, ms) => 1000 / (await putsPerSecond(store, 'single', ms, 1)),
  },
  { name: `range of ${RANGE_KEYS} keys of 1 KB`, unit: 'ranges/s', better: 'more', measure: rangesPerSecond },
  { name: `watch, ${WATCHERS} watchers`, unit: 'events/s', better: 'more', measure: deliveriesPerSecond },
];

interface Target {
  store: Store;
  close(): Promise<void>;
}

export async function run(options: BenchOptions): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bench-etcd-'));
  const targets: Target[] = [];
  try {
    const embedded = await openEmbedded(join(directory, 'embedded'));
    targets.push(embedded);
    const front = await openFront(join(directory, 'front'));
    targets.push(front);
    const etcd = findProgram('etcd') === undefined ? undefined : await openEtcd();
    if (etcd !== undefined) targets.push(etcd);
    for (const { store } of targets) await fill(store, 'range/', RANGE_KEYS);
    const rows: Row[] = [];
    for (const work of works) {
      const best = await bestOf(work, targets, options.durationMs);
      const theirs = etcd === undefined ? undefined : best.get(etcd);
      rows.push(row('embedded', work, best.get(embedded)!, theirs, work.better === 'more' ? 3 : 1));
      rows.push(row('k8ts etcd over gRPC', work, best.get(front)!, theirs, work.better === 'more' ? 0.5 : 2));
    }
    rows.sort((a, b) => Number(a.work.startsWith('k8ts')) - Number(b.work.startsWith('k8ts')));
    return [...rows, await openLarge(join(directory, 'large'))];
  } finally {
    for (const target of targets) await target.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function bestOf(work: Work, targets: readonly Target[], durationMs: number): Promise<Map<Target, number>> {
  const best = new Map<Target, number>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const target of targets) {
      const result = await work.measure(target.store, durationMs);
      const before = best.get(target) ?? result;
      best.set(target, work.better === 'more' ? Math.max(before, result) : Math.min(before, result));
    }
  }
  return best;
}

function row(what: string, work: Work, ours: number, theirs: number | undefined, factor: number): Row {
  const owed = theirs === undefined ? undefined : theirs * factor;
  return {
    work: `${what}: ${work.name}`,
    unit: work.unit,
    value: ours,
    against: theirs,
    ...(work.better === 'more' ? { atLeast: owed } : { atMost: owed }),
  };
}

async function openEmbedded(directory: string): Promise<Target> {
  const store = await openEmbeddedStore({ directory, clock });
  return { store, close: () => store.close() };
}

async function openEtcd(): Promise<Target> {
  const cluster = await startEtcd();
  const store = createEtcdStore({ endpoints: cluster.endpoints, clock, requestTimeoutMs: 60_000 });
  return {
    store,
    async close() {
      await store.close();
      await cluster.close();
    },
  };
}

/** In a process of its own, as etcd is. */
async function openFront(directory: string): Promise<Target> {
  const index = JSON.stringify(join(import.meta.dirname, '../src/etcd/index.ts'));
  const kernel = JSON.stringify(join(import.meta.dirname, '../src/kernel/index.ts'));
  const script = `
    const { runEtcdCommand } = await import(${index});
    const { createContext, silentLogger } = await import(${kernel});
    const argv = ['--data-dir', ${JSON.stringify(directory)}, '--listen-client-urls', 'http://127.0.0.1:0'];
    await runEtcdCommand(createContext({ logger: silentLogger }), argv, { onReady: ([url]) => console.log(url) });`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const store = createEtcdStore({ endpoints: [line.toString().trim()], clock, requestTimeoutMs: 60_000 });
  return {
    store,
    async close() {
      await store.close();
      await end(child);
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function putsPerSecond(store: Store, prefix: string, durationMs: number, writers: number): Promise<number> {
  const start = clock.monotonic();
  const end = start + durationMs;
  let count = 0;
  const write = async (): Promise<void> => {
    while (clock.monotonic() < end)
      await store.txn({ success: [{ op: 'put', key: `/registry/${prefix}/${count++ % 10_000}`, value }] });
  };
  await Promise.all(Array.from({ length: writers }, write));
  return (count / (clock.monotonic() - start)) * 1000;
}

async function fill(store: Store, prefix: string, count: number): Promise<void> {
  const batches: TxnOperation[][] = [];
  for (let i = 0; i < count; i += 100) {
    batches.push(
      Array.from({ length: 100 }, (_, n) => ({ op: 'put', key: prefix + String(i + n).padStart(9, '0'), value })),
    );
  }
  const work = async (): Promise<void> => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) await store.txn({ success: batch });
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

async function rangesPerSecond(store: Store, durationMs: number): Promise<number> {
  const start = clock.monotonic();
  let count = 0;
  while (clock.monotonic() - start < durationMs || count < 3) {
    const { kvs } = await store.range({ key: 'range/', rangeEnd: 'range0' });
    if (kvs.length !== RANGE_KEYS) throw new Error(`${kvs.length} keys`);
    count++;
  }
  return (count / (clock.monotonic() - start)) * 1000;
}

async function deliveriesPerSecond(store: Store): Promise<number> {
  const startRevision = (await store.revision()) + 1;
  const watches = Array.from({ length: WATCHERS }, () => store.watch({ key: 'watched', startRevision }));
  const iterators = watches.map((watch) => watch[Symbol.asyncIterator]());
  const take = async (iterator: (typeof iterators)[number], wanted: number): Promise<void> => {
    for (let seen = 0; seen < wanted;) seen += ((await iterator.next()).value as { events: unknown[] }).events.length;
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
  return {
    work: `embedded: open a store of ${keys.toLocaleString('en-US')} keys of 1 KB and read one`,
    unit: 'ms',
    value: elapsed,
    atMost: 1000,
  };
}
