/**
 * The profile `cis` on machines: the checks of `test/cis.test.ts`, which run in the network of a server, of the first server, of one
 * that has joined, and of a worker.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everything, requires } from '../requires.ts';
import { kubectlOn } from './kubectl.ts';
import { Machines, type Machine, type MachineProcess } from './machines.ts';

const missing = everything
  ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'kubectl', 'etcd', 'etcdctl')
  : 'long form';

describe.skipIf(missing !== undefined)(
  `machines with --profile cis${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let machines: Machines;
    const processes = new Map<string, MachineProcess>();
    const machine = (name: string): Machine => machines.list.find((each) => each.name === name)!;
    const { kubectl } = kubectlOn(
      () => machines,
      () => machine('first'),
    );

    beforeAll(async () => {
      machines = new Machines();
      for (const name of ['first', 'second', 'worker']) machines.add(name);
      const start = async (name: string, args: readonly string[]): Promise<void> => {
        const place = ['--data-dir', machine(name).directory, '--node-name', name];
        processes.set(name, await machine(name).start([...args, ...place]));
      };
      const { address, directory, k8ts } = machine('first');
      const line = async (...flags: string[]): Promise<string[]> => {
        const text = await k8ts(['token', 'create', ...flags, '--data-dir', directory, '-o', 'json']);
        return (JSON.parse(text) as { command: string }).command.split(' ').slice(1);
      };
      const up = ['up', '--profile', 'cis', '--etcd', 'managed', '--bind-address', address, '--console=false'];
      await start('first', up);
      await start('second', await line('--control-plane'));
      await start('worker', [...(await line()), '--node-ip', machine('worker').address]);
    }, 400_000);
    afterAll(() => machines.remove(), 60_000);

    it.each([
      ['the first server', { server: 'first', node: 'first' }],
      ['a server that has joined', { server: 'second', node: 'second' }],
      ['a worker', { server: 'second', node: 'worker' }],
    ])(
      'holds on %s',
      async (_, { server, node }) => {
        const { directory, runAsync } = machine(server);
        const place = {
          directory,
          pid: processes.get(server)!.pid,
          node,
          netns: machine(node).netns,
          ...(node === 'worker' ? { worker: machine(node).directory } : {}),
          auditLogs: ['first', 'second'].map((name) => join(machine(name).directory, 'audit', 'audit.log')),
        };
        const environment = [`K8TS_CIS_MACHINES=${JSON.stringify(place)}`, 'K8TS_EVERYTHING=1'];
        const vitest = join('node_modules', 'vitest', 'vitest.mjs');
        const args = [process.execPath, vitest, 'run', 'test/cis.test.ts', '--reporter=json'];
        const output = await runAsync('env', ...environment, ...args);
        const result = JSON.parse(output.slice(output.indexOf('{'))) as { numPassedTests: number };
        console.log(`${node}: ${result.numPassedTests} checks`);
        expect(result.numPassedTests).toBeGreaterThan(40);
        await forget();
      },
      300_000,
    );

    /** What the checks made, for those of the next machine. */
    async function forget(): Promise<void> {
      const kinds = 'pods,deployments,secrets,configmaps,roles,networkpolicies,events';
      const names = (await kubectl('get', kinds, '-o', 'name')).split('\n');
      const made = names.filter((name) => /\/(benchmark|allowed|isolated|ended-\d+)$/.test(name));
      await kubectl('delete', '--now', ...made);
    }
  },
);
