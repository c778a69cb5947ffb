import { deepFreeze } from '../src/base/index.ts';
import { byNamespace, EventStream, SharedInformer, type ApiObject, type WatchEvent } from '../src/client/index.ts';
import { readJsonLines } from '../src/client/json-lines.ts';
import { createTestContext, RealClock, SystemRandom, silentLogger } from '../src/kernel/index.ts';
import { callsPerSecond, type BenchOptions, type Row } from './harness.ts';

export const name = 'client';

const OBJECTS = 2_000;

/** An object of the size and shape of a small Pod. */
function object(index: number, revision: number): ApiObject & { spec: unknown } {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${index}`,
      namespace: `ns-${index % 10}`,
      uid: `uid-${index}`,
      resourceVersion: String(revision),
      labels: { app: 'web', tier: 'front' },
    },
    spec: {
      nodeName: `node-${index % 50}`,
      containers: [
        { name: 'c', image: 'nginx', env: [{ name: 'A', value: 'B' }], resources: { requests: { cpu: '100m' } } },
      ],
    },
  };
}

/** Events per second through reflector, cache, an index and a handler, without a network. */
async function informerEvents(durationMs: number): Promise<number> {
  const stream = new EventStream<WatchEvent<ApiObject>>();
  const informer = new SharedInformer<ApiObject>({
    clock: new RealClock(),
    random: new SystemRandom(),
    logger: silentLogger,
    source: { list: () => Promise.resolve({ metadata: { resourceVersion: '1' }, items: [] }), watch: () => stream },
    streamingList: false,
    indexes: { namespace: byNamespace },
  });
  let seen = 0;
  informer.addHandler({ onAdd: () => void seen++, onUpdate: () => void seen++ });
  const { signal, stop } = createTestContext();
  const running = informer.run(signal);
  await informer.waitForSync(signal);
  const start = performance.now();
  let revision = 2;
  while (performance.now() - start < durationMs) {
    for (let i = 0; i < OBJECTS; i++) stream.push({ type: 'MODIFIED', object: object(i, revision++) });
    while (seen < revision - 2) await new Promise(setImmediate);
  }
  const perSecond = (seen / (performance.now() - start)) * 1000;
  stop();
  stream.fail(signal.reason);
  await running;
  return perSecond;
}

async function watchLines(durationMs: number): Promise<number> {
  const line = Buffer.from(`${JSON.stringify({ type: 'MODIFIED', object: object(1, 1) })}\n`);
  const piece = Buffer.concat(Array.from({ length: 100 }, () => line)).subarray(0, -10);
  const rest = line.subarray(-10);
  const start = performance.now();
  async function* pieces(): AsyncGenerator<Uint8Array> {
    while (performance.now() - start < durationMs) {
      yield piece;
      yield rest;
    }
  }
  let events = 0;
  for await (const _event of readJsonLines(pieces())) events++;
  return (events / (performance.now() - start)) * 1000;
}

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  return [
    { work: 'informer: events to cache, index and handler', value: await informerEvents(durationMs), unit: '/s' },
    { work: 'watch: lines parsed', value: await watchLines(durationMs), unit: '/s' },
    { work: 'freeze an object', value: callsPerSecond(() => void deepFreeze(object(1, 1)), durationMs), unit: '/s' },
  ];
}
