/** Both API servers on one etcd at the same time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/api/generated/core-v1.ts';
import type { Client } from '../../src/client/index.ts';
import { createEtcdStore, prefixRange, type Store } from '../../src/etcd/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { requires } from '../requires.ts';
import { ControlPlane } from './control-plane.ts';

const missing = requires('kube-apiserver', 'etcd');
const title = `two API servers on one etcd${missing ? ` (skipped: ${missing})` : ''}`;
const COMPACTION_MS = 2000;
const FLAGS = [`--etcd-compaction-interval=${COMPACTION_MS}ms`];
const [UPSTREAM, OURS] = ['192.0.2.1', '192.0.2.2'];
const MASTER_LEASES = '/registry/masterleases/';
const IDENTITY = 'apiserver.kubernetes.io/identity=kube-apiserver';

describe.skipIf(missing)(title, () => {
  let plane: ControlPlane;
  let servers: readonly Client[];
  let store: Store;

  beforeAll(async () => {
    plane = await ControlPlane.start('upstream', 'upstream', FLAGS);
    servers = [plane.client, await plane.runSecondApiServer('k8ts', FLAGS)];
    store = createEtcdStore({ endpoints: [plane.etcdUrl], clock: plane.ctx.clock });
  });
  afterAll(async () => {
    await store?.close();
    await plane?.stop();
  });

  const services = (i: number) => servers[i % 2]!.resource('v1/services');
  const portOf = ({ spec }: Service): number => spec!.ports![0]!.nodePort!;

  it('give out each node port once, to the one who asks or the one who chooses', async () => {
    const created = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        services(i).create({
          metadata: { name: `any-${i}`, namespace: 'default' },
          spec: { type: 'NodePort', ports: [{ port: 80 }] },
        }),
      ),
    );
    expect(new Set(created.map(portOf)).size).toBe(40);
    for (let nodePort = 30000; nodePort < 30010; nodePort++) {
      const results = await Promise.allSettled(
        [0, 1].map((i) =>
          services(i).create({
            metadata: { name: `chosen-${nodePort}-${i}`, namespace: 'default' },
            spec: { type: 'NodePort', ports: [{ port: 80, nodePort }] },
          }),
        ),
      );
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });

  it('free a node port for the other one', async () => {
    const name = 'freed';
    const service = {
      metadata: { name, namespace: 'default' },
      spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30050 }] },
    };
    for (const i of [0, 1, 0, 1]) {
      await services(i).create(service);
      await services(i).delete({ name, namespace: 'default' });
    }
  });

  it('see what the other one writes, at once and as a watch', async () => {
    const [upstream, ours] = servers as [Client, Client];
    for (const [writer, reader] of [
      [upstream, ours],
      [ours, upstream],
    ] as const) {
      const { metadata } = await writer
        .resource('v1/configmaps')
        .create({ metadata: { generateName: 'seen-', namespace: 'default' }, data: { a: '<b>' } });
      const place = { name: metadata.name!, namespace: 'default' };
      const read = await reader.resource('v1/configmaps').get(place);
      expect(read).toEqual(await writer.resource('v1/configmaps').get(place));
      await reader.resource('v1/configmaps').update({ ...read, data: { a: 'c' } });
      expect((await writer.resource('v1/configmaps').get(place)).data).toEqual({ a: 'c' });
    }
  });

  /** The endpoints of the Service kubernetes, and the keys under which the servers tell that they are alive. */
  const untilAlive = (...addresses: readonly string[]): Promise<void> =>
    until(
      `${addresses.join(' and ')} are there`,
      async () => {
        const { subsets } = await servers[1]!
          .resource('v1/endpoints')
          .get({ namespace: 'default', name: 'kubernetes' });
        const { kvs } = await store.range(prefixRange(MASTER_LEASES));
        const keys = kvs.map(({ key }) => key.slice(MASTER_LEASES.length));
        const endpoints = subsets?.flatMap((subset) => subset.addresses?.map(({ ip }) => ip) ?? []) ?? [];
        return [keys, endpoints].every((found) => found.join() === addresses.join());
      },
      { intervalMs: 500, limitMs: 120_000 },
    );

  it('are both endpoints of the Service kubernetes', () => untilAlive(UPSTREAM, OURS));

  /** On one machine both have one Lease: its name is made of the host name. */
  const untilRenewed = async (): Promise<void> => {
    const times = new Set<string>();
    await until(
      'the identity Lease was renewed twice',
      async () => {
        const leases = servers[1]!.resource('coordination.k8s.io/v1/leases');
        const { items } = await leases.list({ namespace: 'kube-system', labelSelector: IDENTITY });
        times.add(items.map(({ spec }) => spec!.renewTime!).join());
        return times.size > 2;
      },
      { intervalMs: 500, limitMs: 120_000 },
    );
  };

  it('compact etcd once in an interval', async () => {
    const versionOf = async (): Promise<number> => (await store.range({ key: 'compact_rev_key' })).kvs[0]?.version ?? 0;
    const before = await versionOf();
    const startedAt = performance.now();
    await until('it was compacted five times', async () => (await versionOf()) >= before + 5, { intervalMs: 100 });
    // Each of them compacts when the other one has not done so within the interval.
    const intervals = (performance.now() - startedAt) / COMPACTION_MS;
    expect((await versionOf()) - before).toBeLessThanOrEqual(intervals + 2);
    await expect(store.range({ key: 'a', revision: 2 })).rejects.toMatchObject({ code: 'compacted' });
  });

  it('drop out of the endpoints when killed, renew their Lease alone, and come back', async () => {
    await plane.end('kube-apiserver', 'SIGKILL');
    await untilAlive(OURS);
    await untilRenewed();
    await plane.runApiServer('upstream', FLAGS);
    await untilAlive(UPSTREAM, OURS);
    await plane.end('second-kube-apiserver', 'SIGKILL');
    const [, ours] = servers;
    servers = [servers[0]!, servers[0]!];
    await untilAlive(UPSTREAM);
    await untilRenewed();
    await ours!.close();
    servers = [servers[0]!, await plane.runSecondApiServer('k8ts', FLAGS)];
    await untilAlive(UPSTREAM, OURS);
    // One that stops takes its key away at once.
    await plane.end('kube-apiserver');
    await untilAlive(OURS);
  }, 400_000);
});
