import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiConnection } from '../api-connection.ts';
import { startK8ts, type K8tsProcess } from '../k8ts-process.ts';
import { everything, some } from '../requires.ts';
import { waitingTime } from './server-time.ts';
import { PROTOCOLS, UnreadClients } from './unread-clients.ts';

const MEGABYTE = 1024 * 1024;
const OBJECT_BYTES = 100_000;
/**
 * The short form's LISTs are 200 MB that nobody reads: kept in memory, they would come on top of what making them costs. That is up to
 * 120 MB with Node 20 and 170 MB with newer ones, which collect garbage later.
 */
const SIZES = everything
  ? { objects: 1000, lists: 50, watchLists: 20, watches: 1000, growth: 512 * MEGABYTE }
  : { objects: 200, lists: 10, watchLists: 5, watches: 100, growth: 224 * MEGABYTE };
const READY_MS = 250;
/**
 * With the thread that it is decoded in. A million empty objects are 60 MB to V8, and newer ones collect garbage later; with
 * their defaults they would be over 1 GB.
 */
const MAX_GROWTH_OF_A_BODY = 400 * MEGABYTE;
/** Written while nobody reads. Sockets take some megabytes for each connection: with large objects these are twice that. */
const EVENTS = 80;

const COLLECTION = '/api/v1/namespaces/default/configmaps';
/** Of small objects, for the many watches. */
const SMALL = '/api/v1/namespaces/kube-system/configmaps';
const WATCH_LIST = `${COLLECTION}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
/** Forms that a LIST is asked for in; each of them has to be made of the stored objects. */
const FORMS: Record<string, Record<string, string>> = {
  JSON: {},
  gzip: { 'accept-encoding': 'gzip' },
  protobuf: { accept: 'application/vnd.kubernetes.protobuf' },
  'a Table with whole objects': { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  YAML: { accept: 'application/yaml' },
  'indented JSON': { 'user-agent': 'curl/8.0' },
};

interface Measured {
  /** Bytes. */
  readonly growth: number;
  readonly readyMs: number;
}

const p99 = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length * 0.99)]!;

describe('clients that do not read', { timeout: 600_000 }, () => {
  let k8ts: K8tsProcess;
  let api: ApiConnection;
  let clients: UnreadClients;
  let baseline: number;
  const filling = (i: number): string => `${i} `.padEnd(OBJECT_BYTES, 'abcdefgh');
  const configMap = (name: string, text: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { filling: text },
  });
  const currentVersion = async (): Promise<string> =>
    (await api.call('GET', `${COLLECTION}?limit=1`)).json().metadata.resourceVersion;

  beforeAll(async () => {
    k8ts = await startK8ts({ flags: ['--controllers', 'none'] });
    api = new ApiConnection(k8ts.server, k8ts.credentials);
    const makeLane = async (lane: number): Promise<void> => {
      for (let i = lane; i < SIZES.objects; i += 8)
        expect((await api.call('POST', COLLECTION, { body: configMap(`event-${i}`, filling(i)) })).status).toBe(201);
    };
    expect((await api.call('POST', SMALL, { body: configMap('event-0', '') })).status).toBe(201);
    await Promise.all(Array.from({ length: 8 }, (_, lane) => makeLane(lane)));
    // What the server keeps of its objects, and its code, is there before it is measured what clients cost.
    for (const headers of Object.values(FORMS)) await api.call('GET', `${COLLECTION}?limit=100`, { headers });
    expect((await api.call('GET', COLLECTION)).body.length).toBeGreaterThan(SIZES.objects * OBJECT_BYTES);
    await sleep(1000);
    baseline = k8ts.memory();
  }, 300_000);
  afterEach(async () => {
    clients.close();
    await sleep(200);
  });
  afterAll(async () => {
    api.close();
    await k8ts.stop('SIGKILL');
  });

  /** What the server's memory grew by, and how long others waited, while the clients did not read. */
  async function watched(attack: () => Promise<void>): Promise<Measured> {
    clients = new UnreadClients(k8ts.port, k8ts.credentials);
    const other = new ApiConnection(k8ts.server, k8ts.credentials);
    const waits: number[] = [];
    let most = 0;
    let isOver = false;
    const sample = async (): Promise<void> => {
      while (!isOver) {
        waits.push(
          await waitingTime(k8ts.pid, async () => expect((await other.call('GET', '/readyz')).status).toBe(200)),
        );
        most = Math.max(most, k8ts.memory());
        await sleep(10);
      }
    };
    const sampling = sample();
    try {
      await attack();
      await sleep(everything ? 3000 : 500);
    } finally {
      isOver = true;
      await sampling;
      other.close();
    }
    return { growth: most - baseline, readyMs: p99(waits) };
  }

  function expectLittle(what: string, { growth, readyMs }: Measured): void {
    console.log(`memory: ${what}: grew by ${Math.round(growth / MEGABYTE)} MB, /readyz p99 ${Math.round(readyMs)} ms`);
    expect(growth).toBeLessThan(SIZES.growth);
    expect(readyMs).toBeLessThan(READY_MS);
  }

  async function writeEvents(collection: string, text: string): Promise<void> {
    for (let i = 0; i < EVENTS; i++) {
      const body = { data: { filling: text, event: String(i) } };
      const { status } = await api.call('PATCH', `${collection}/event-0`, {
        body,
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      expect(status).toBe(200);
    }
  }

  it.each(some(PROTOCOLS.toReversed(), 1))(
    `${SIZES.lists} LISTs, ${SIZES.watchLists} watch-lists and ${SIZES.watches} watches over %s cost little, and do not delay others`,
    async (protocol) => {
      const measured = await watched(async () => {
        await clients.send(protocol, SIZES.lists, COLLECTION);
        await clients.send(protocol, SIZES.watchLists, WATCH_LIST);
        await clients.send(protocol, SIZES.watches, `${SMALL}?watch=true`);
        await writeEvents(SMALL, 'small');
        await clients.send(
          protocol,
          SIZES.watchLists,
          `${COLLECTION}?watch=true&resourceVersion=${await currentVersion()}`,
        );
        await writeEvents(COLLECTION, filling(0));
      });
      expectLittle(protocol, measured);
    },
  );

  it.each(Object.keys(FORMS))('LISTs as %s cost no more', async (form) => {
    const measured = await watched(async () => {
      for (const protocol of PROTOCOLS)
        await clients.send(protocol, everything ? 25 : 5, `${COLLECTION}?includeObject=Object`, FORMS[form]);
    });
    expectLittle(form, measured);
  });

  it('bodies of empty items, which defaults would make large, cost little', async () => {
    const pod = (spec: object): object => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
    const items = (count: number): object[] => Array.from({ length: count }, () => ({}));
    const before = k8ts.memory();
    const measured = await watched(async () => {
      for (const count of [300_000, 1_000_000])
        for (const spec of [
          { containers: items(count) },
          { containers: [{ name: 'c', image: 'i', env: items(count) }] },
        ]) {
          const { status } = await api.call('POST', '/api/v1/namespaces/default/pods', { body: pod(spec) });
          expect(status).toBe(413);
        }
    });
    const growth = measured.growth - (before - baseline);
    console.log(`memory: empty items: grew by ${Math.round(growth / MEGABYTE)} MB`);
    expect(growth).toBeLessThan(MAX_GROWTH_OF_A_BODY);
    expect(measured.readyMs).toBeLessThan(READY_MS);
  });

  it('a client that reads a watch-list larger than any buffer gets all of it, and then the changes', async () => {
    clients = new UnreadClients(k8ts.port, k8ts.credentials);
    let initial = 0;
    let lastChange: string | undefined;
    for await (const { type, object } of api.watch(WATCH_LIST)) {
      if (type === 'ADDED') initial++;
      if (type === 'BOOKMARK' && object.metadata.annotations?.['k8s.io/initial-events-end'])
        await writeEvents(COLLECTION, 'changed');
      if (type === 'MODIFIED') lastChange = (object['data'] as { event: string }).event;
      if (lastChange === String(EVENTS - 1)) break;
    }
    expect(lastChange).toBe(String(EVENTS - 1));
    expect(initial).toBeGreaterThanOrEqual(SIZES.objects);
  });
});
