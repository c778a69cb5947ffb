/**
 * The client of the cluster test, run inside the test's network. It writes unique keys all the time, remembers which of
 * them were acknowledged and when, and keeps one watch open. `report` on standard input makes it print the longest time
 * without an acknowledged write since the last report; the end of input makes it verify and print the verdict.
 */
import { createInterface } from 'node:readline';
import { createEtcdStore } from '../src/etcd/index.ts';
import { RealClock } from '../src/kernel/index.ts';

const WRITERS = 8;
const clock = new RealClock();
const store = createEtcdStore({ endpoints: (process.argv[2] ?? '').split(','), clock });
const start = (await store.revision()) + 1;
const acked = new Map<string, number>();
const failures = new Map<string, number>();
let stopping = false;
let lastAck = clock.monotonic();
let longestGap = 0;

const seen = new Map<string, number>();
let repeated = 0;
let lastRevision = 0;
let outOfOrder = 0;
const watch = store.watch({ key: 'k/', rangeEnd: 'k0', startRevision: start });
const watching = (async () => {
  for await (const { events } of watch) {
    for (const { kv } of events) {
      if (seen.has(kv.key)) repeated++;
      if (kv.modRevision < lastRevision) outOfOrder++;
      lastRevision = kv.modRevision;
      seen.set(kv.key, kv.modRevision);
    }
  }
})();

async function write(writer: number): Promise<void> {
  for (let i = 0; !stopping; i++) {
    const key = `k/${writer}/${i}`;
    try {
      const { revision } = await store.txn({
        compare: [{ key, target: 'create', result: 'equal', value: 0 }],
        success: [{ op: 'put', key, value: Buffer.from(key) }],
      });
      acked.set(key, revision);
      const now = clock.monotonic();
      longestGap = Math.max(longestGap, now - lastAck);
      lastAck = now;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      failures.set(code, (failures.get(code) ?? 0) + 1);
      await clock.sleep(20);
    }
  }
}
const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
console.log(JSON.stringify({ ready: true }));

for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'report') continue;
  console.log(
    JSON.stringify({ gapMs: Math.round(Math.max(longestGap, clock.monotonic() - lastAck)), acked: acked.size }),
  );
  longestGap = 0;
}
stopping = true;
await writing;

const stored = new Map<string, number>();
for (const { key, modRevision } of (await store.range({ key: 'k/', rangeEnd: 'k0', keysOnly: true })).kvs)
  stored.set(key, modRevision);
const lost = [...acked].filter(([key, revision]) => stored.get(key) !== revision).map(([key]) => key);
for (let i = 0; i < 100 && seen.size < stored.size; i++) await clock.sleep(100);
const unseen = [...stored.keys()].filter((key) => !seen.has(key));
watch.cancel();
await watching;
await store.close();
console.log(
  JSON.stringify({
    acked: acked.size,
    stored: stored.size,
    lost,
    unseen,
    repeated,
    outOfOrder,
    failures: Object.fromEntries(failures),
  }),
);
