import { afterEach, describe, expect, it } from 'vitest';
import type { Service } from '../../api/generated/core-v1.ts';
import { createMemoryStore, type Store } from '../../etcd/index.ts';
import { createTestContext } from '../../kernel/index.ts';
import { encodeForStorage } from '../storage/encode-for-storage.ts';
import { parseStored } from '../storage/parse-stored.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../testing/index.ts';
import { PortBits } from './port-bits.ts';
import { PortRange } from './port-range.ts';
import { NODE_PORTS_KEY } from './stored-node-ports.ts';

const PATH = '/api/v1/namespaces/default/services';
const RANGE = '30000-32767';

let servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers) await server.stop();
  servers = [];
});

/** Servers that share a store in memory, as they would share an etcd. */
async function startServers(count: number, prepare?: (store: Store) => Promise<unknown>): Promise<Store> {
  const store = Object.assign(createMemoryStore({ clock: createTestContext().clock }), { isShared: true });
  await prepare?.(store);
  for (let i = 0; i < count; i++) servers.push(await startTestServer({ store, nodePortRange: RANGE }));
  return store;
}

const post = (server: TestServer, name: string, nodePort?: number): Promise<TestAnswer> =>
  server.call('POST', PATH, {
    body: { metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80, ...(nodePort ? { nodePort } : {}) }] } },
  });
const portOf = (answer: TestAnswer): number => (answer.body['spec'] as Service['spec'])!.ports![0]!.nodePort!;

async function stored(store: Store): Promise<{ range: string; ports: number[] } | undefined> {
  const { kvs } = await store.range({ key: NODE_PORTS_KEY });
  if (!kvs[0]) return undefined;
  const { range, data } = parseStored(Buffer.from(kvs[0].value)) as unknown as { range: string; data: string };
  return { range, ports: [...PortBits.decode(new PortRange(range), data)] };
}

const putRange = (store: Store, ports: number[], range = RANGE): Promise<unknown> => {
  const bits = new PortBits(new PortRange(range));
  for (const port of ports) bits.add(port);
  const allocation = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, range, data: bits.encode() };
  return store.txn({ success: [{ op: 'put', key: NODE_PORTS_KEY, value: encodeForStorage(allocation) }] });
};

describe('the bits of a range', () => {
  it.each([
    { ports: [], data: '' },
    { ports: [30000], data: 'AQ==' },
    { ports: [30000, 30009], data: 'AgE=' },
    // big.Int's bytes of 1<<2767 | 1<<8.
    { ports: [30008, 32767], data: `${Buffer.from([0x80, ...Array<number>(343).fill(0), 1, 0]).toString('base64')}` },
  ])('$ports', ({ ports, data }) => {
    const range = new PortRange(RANGE);
    const bits = new PortBits(range);
    for (const port of ports) bits.add(port);
    expect(bits.encode()).toBe(data);
    expect([...PortBits.decode(range, data)]).toEqual(ports);
  });
});

describe('node ports of servers that share a store', () => {
  it('are never allocated twice', async () => {
    const store = await startServers(2);
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => post(servers[i % 2]!, `crowd-${i}`)));
    const ports = answers.map(portOf);
    expect(new Set(ports).size).toBe(30);
    expect((await stored(store))?.ports).toEqual([...ports].sort((a, b) => a - b));
    const chosen = await Promise.all(servers.map((server, i) => post(server, `chosen-${i}`, 30001)));
    expect(chosen.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 422]);
  });

  it('are free again when the Service is deleted, changed or refused', async () => {
    const store = await startServers(2);
    expect((await post(servers[0]!, 'deleted', 30001)).status).toBe(201);
    expect((await post(servers[1]!, 'changed', 30002)).status).toBe(201);
    const refused = {
      metadata: { name: 'refused' },
      spec: { type: 'NodePort', ports: [{ port: 0, nodePort: 30003 }] },
    };
    expect((await servers[0]!.call('POST', PATH, { body: refused })).status).toBe(422);
    expect((await stored(store))?.ports).toEqual([30001, 30002]);
    await servers[0]!.call('DELETE', `${PATH}/deleted`);
    await servers[1]!.call('PUT', `${PATH}/changed`, {
      body: { metadata: { name: 'changed' }, spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30004 }] } },
    });
    expect((await stored(store))?.ports).toEqual([30004]);
  });

  it('of another server stay allocated', async () => {
    await startServers(1, (store) => putRange(store, [30005]));
    expect((await post(servers[0]!, 'theirs', 30005)).body['message']).toContain('provided port is already allocated');
  });

  it('are repaired: leaked ones are free again after three rounds, missing ones are added', async () => {
    const store = await startServers(1, (empty) => putRange(empty, [30006], '30000-30100'));
    expect((await stored(store))?.range).toBe(RANGE);
    await post(servers[0]!, 'mine', 30007);
    const { serviceAllocator } = servers[0]!.pipeline.chain.backend;
    await putRange(store, [30006]);
    await serviceAllocator.repair();
    expect((await stored(store))?.ports).toEqual([30006, 30007]);
    await serviceAllocator.repair();
    await serviceAllocator.repair();
    expect((await stored(store))?.ports).toEqual([30007]);
  });
});
