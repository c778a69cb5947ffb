/** Two servers and a worker on an etcd that exists: the second server joins it, and is enough when the first dies. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../src/kernel/testing/index.ts';
import { everything, findProgram, requires } from '../requires.ts';
import { Machines, type Machine, type MachineProcess } from './machines.ts';
import { SOON } from './server-world.ts';
import { WorldClient, Writer } from './world-client.ts';

const missing = everything ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'kubectl', 'etcd') : 'long form';
/** The Lease of a dead API server expires, and then its addresses leave the Services. */
const ADDRESSES_GONE = { limitMs: 90_000, intervalMs: 500 };

describe.skipIf(missing !== undefined)(
  `two servers on an etcd that exists${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let machines: Machines;
    let etcd: ChildProcess;
    let client: WorldClient;
    let writer: Writer;
    const processes = new Map<string, MachineProcess>();
    const machine = (name: string): Machine => machines.list.find((each) => each.name === name)!;

    beforeAll(async () => {
      machines = new Machines();
      const [store, first, second, worker] = ['store', 'a', 'b', 'w'].map((name) => machines.add(name)) as [
        Machine,
        Machine,
        Machine,
        Machine,
      ];
      mkdirSync(store.directory);
      const url = `http://${store.address}:2379`;
      etcd = spawn(
        'nsenter',
        [
          ...[`--net=${store.netns}`, findProgram('etcd')!, '--data-dir', join(store.directory, 'data')],
          ...['--listen-client-urls', url, '--advertise-client-urls', url],
          ...['--listen-peer-urls', `http://${store.address}:2380`],
        ],
        { stdio: 'ignore' },
      );
      await start(first, [
        ...['up', '--etcd-servers', url, '--bind-address', first.address],
        ...['--console=false', '--simulated-nodes', '0'],
      ]);
      await start(second, (await line(first, '--control-plane')).split(' ').slice(1));
      await start(worker, [...(await line(second)).split(' ').slice(1), '--node-ip', worker.address]);
      client = new WorldClient(machines.outside, join(first.directory, 'kubeconfig'));
      writer = new Writer(client, () => [first.address, second.address]);
      writer.start();
    }, 400_000);
    afterAll(async () => {
      await writer?.stop();
      await machines.remove();
      if (etcd && etcd.exitCode === null && etcd.signalCode === null) {
        etcd.kill('SIGKILL');
        await once(etcd, 'exit');
      }
    }, 60_000);

    async function start(where: Machine, args: readonly string[]): Promise<void> {
      const flags = ['--data-dir', where.directory, '--node-name', where.name];
      processes.set(where.name, await where.start([...args, ...flags]));
    }
    async function line(server: Machine, ...flags: string[]): Promise<string> {
      const text = await server.k8ts(['token', 'create', ...flags, '--data-dir', server.directory, '-o', 'json']);
      return (JSON.parse(text) as { command: string }).command;
    }
    const addresses = async (slices: string): Promise<string[]> => {
      const path = `/apis/discovery.k8s.io/v1/namespaces/${slices}`;
      const answer = await client.call(machine('b').address, 'GET', path);
      const { items = [] } = (answer?.body ?? {}) as {
        items?: { endpoints: { addresses: string[]; conditions: { ready?: boolean } }[] | null }[];
      };
      return items
        .flatMap(({ endpoints }) => endpoints ?? [])
        .filter(({ conditions }) => conditions.ready !== false)
        .flatMap((endpoint) => endpoint.addresses)
        .sort();
    };
    const API_SERVERS = 'default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dkubernetes';
    const DNS_SERVERS = 'kube-system/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dkube-dns';

    it('are one cluster with one store', async () => {
      const both = [machine('a').address, machine('b').address];
      await until('the Service lists both', async () => (await addresses(API_SERVERS)).join() === both.join(), SOON);
      await until('both write', () => writer.acknowledged.length > 20, SOON);
      for (const { address } of [machine('a'), machine('b')]) expect(await writer.lost(address)).toEqual([]);
      expect((await addresses(DNS_SERVERS)).length).toBeGreaterThan(0);
    }, 120_000);

    it('go on when the first dies, which then is an address of no Service', async () => {
      const { address } = machine('a');
      machine('a').cut();
      processes.get('a')!.kill('SIGKILL');
      const [from, before] = [performance.now(), await addresses(DNS_SERVERS)];
      await until('writes are back', () => writer.firstAfter(from) !== undefined, SOON);
      await until(
        'the first is no API server any more',
        async () => !(await addresses(API_SERVERS)).includes(address),
        ADDRESSES_GONE,
      );
      let dns: string[] = before;
      await until(
        'DNS is answered by living servers alone',
        async () => {
          dns = await addresses(DNS_SERVERS);
          return dns.length > 0 && !dns.includes(address);
        },
        { ...ADDRESSES_GONE, details: () => `${dns.join()}, before ${before.join()}` },
      );
      expect(await writer.lost(machine('b').address)).toEqual([]);
      const nodes = await client.call(machine('b').address, 'GET', '/api/v1/nodes/w');
      expect(
        (nodes!.body as { status: { conditions: { type: string; status: string }[] } }).status.conditions,
      ).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    }, 240_000);

    it('are two again when it comes back', async () => {
      machine('a').mend();
      await start(machine('a'), [
        ...['up', '--etcd-servers', `http://${machine('store').address}:2379`],
        ...['--bind-address', machine('a').address, '--console=false', '--simulated-nodes', '0'],
      ]);
      const both = [machine('a').address, machine('b').address];
      await until('the Service lists both', async () => (await addresses(API_SERVERS)).join() === both.join(), SOON);
      expect(await writer.lost(machine('a').address)).toEqual([]);
    }, 120_000);
  },
);
