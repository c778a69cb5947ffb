/**
 * Three servers with a member of etcd each, and a worker, under writes that are counted, while processes are killed and
 * frozen, links cut, disks filled and clocks moved. What it measured is printed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../src/kernel/testing/index.ts';
import { everything, requires } from '../requires.ts';
import type { Machine, Machines } from './machines.ts';
import { HOLD_MS, ServerWorld, SOON } from './server-world.ts';

const missing = everything
  ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'kubectl', 'etcd', 'etcdctl', 'gcc')
  : 'long form';

describe.skipIf(missing !== undefined)(`three servers${missing === undefined ? '' : ` (${missing})`}`, () => {
  let world: ServerWorld;
  let machines: Machines;
  let worker: Machine;
  let wallClockFile: string;

  beforeAll(async () => {
    world = new ServerWorld({ workers: ['w'] });
    machines = world.machines;
    worker = world.workers[0]!;
    const library = join(machines.scratch, 'wall-clock.so');
    wallClockFile = join(machines.scratch, 'wall-clock');
    const source = join(import.meta.dirname, '..', 'attacks', 'clock-jump', 'wall-clock.c');
    execFileSync('gcc', ['-O1', '-shared', '-fPIC', '-o', library, source]);
    writeFileSync(wallClockFile, Buffer.alloc(8));
    world.environments.set('b', { ...process.env, LD_PRELOAD: library, WALL_CLOCK_FILE: wallClockFile });
    await world.start();
  }, 600_000);
  afterAll(() => world.stop(), 60_000);

  it('are one cluster: nodes, members, endpoints, a balancer that knows all of them', async () => {
    const { etcd, nodes } = await world.status(world.servers[1]!);
    expect(etcd?.members.map(({ name, healthy }) => `${name} ${healthy}`).sort()).toEqual([
      'a true',
      'b true',
      'c true',
    ]);
    expect(
      nodes
        .filter(({ ready }) => ready)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a', 'b', 'c', 'w']);
    await until(
      'the Service lists them',
      async () => {
        const slice = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
        const answer = await world.client.call(world.servers[0]!.address, 'GET', slice);
        const { endpoints } = (answer ?? { body: { endpoints: [] } }).body as { endpoints: { addresses: string[] }[] };
        return (
          endpoints
            .flatMap(({ addresses }) => addresses)
            .sort()
            .join() === world.servers.map(({ address }) => address).join()
        );
      },
      SOON,
    );
    const record = (): { servers?: string[] } =>
      JSON.parse(readFileSync(join(worker.directory, 'machine.json'), 'utf8')) as { servers?: string[] };
    await until('the worker remembers them', () => record().servers?.length === 3, SOON);
    for (const [name, { readySeconds, processorSeconds }] of world.processes)
      world.report.push(`${name} ready in ${readySeconds} s, ${processorSeconds} s of a processor`);
  }, 120_000);

  it('give their keys to nobody without the whole line', async () => {
    const [first] = world.servers as [Machine];
    const workerToken = /--token (\S+)/.exec((await world.token(first)).command)![1]!;
    const { command } = await world.token(first, '--control-plane');
    const [, id] = /--token (\w{6})\./.exec(command)!;
    const url = `https://${first.address}:6443/api/v1/namespaces/kube-system/secrets/k8ts-server-keys-${id}`;
    const asked = machines.list[3]!.run('curl', '-sk', '-H', `Authorization: Bearer ${workerToken}`, url);
    expect(JSON.parse(asked)).toMatchObject({ code: 403 });
    const wrong = command.replace(/--certificate-key \w{4}/, '--certificate-key 0000');
    const directory = join(machines.scratch, 'wrong');
    await expect(worker.k8ts([...wrong.split(' ').slice(1), '--data-dir', directory])).rejects.toThrow(
      '--certificate-key does not open the keys',
    );
    await expect(
      worker.k8ts([
        ...command
          .replace(/--token \S+/, `--token ${workerToken}`)
          .split(' ')
          .slice(1),
        ...['--data-dir', directory],
      ]),
    ).rejects.toThrow('is one for workers');
    rmSync(directory, { recursive: true, force: true });
  }, 120_000);

  it('go on when etcd’s leader is killed', async () => {
    const victim = await world.etcdLeader();
    await world.disaster({
      what: 'kill -9 of the leading etcd',
      victim,
      strike: () => process.kill(world.etcdPid(victim), 'SIGKILL'),
      undo: () => undefined,
      isServerAlive: true,
    });
  }, 300_000);

  it('go on when the leading server is killed', async () => {
    const victim = await world.leaderMachine();
    await world.disaster({
      what: 'kill -9 of the leading k8ts',
      victim,
      strike: () => process.kill(world.k8tsPid(victim), 'SIGKILL'),
      undo: () => world.startAgain(victim),
    });
  }, 300_000);

  it('go on when the leading server is frozen, which leads no more when it wakes', async () => {
    const victim = await world.leaderMachine();
    await world.disaster({
      what: 'freeze of the leading k8ts',
      victim,
      strike: () => process.kill(world.k8tsPid(victim), 'SIGSTOP'),
      undo: () => void process.kill(world.k8tsPid(victim), 'SIGCONT'),
    });
    await until(
      'it has noticed',
      () => world.processes.get(victim.name)!.output().includes('No longer the leader'),
      SOON,
    );
  }, 300_000);

  it('go on when etcd’s leader is frozen', async () => {
    const victim = await world.etcdLeader();
    const pid = world.etcdPid(victim);
    await world.disaster({
      what: 'freeze of the leading etcd',
      victim,
      strike: () => process.kill(pid, 'SIGSTOP'),
      undo: () => void process.kill(pid, 'SIGCONT'),
      isServerAlive: true,
    });
  }, 300_000);

  it('go on when the link of each machine is cut', async () => {
    for (const victim of world.servers)
      await world.disaster({
        what: 'cut link',
        victim,
        strike: () => victim.cut(),
        undo: () => victim.mend(),
      });
  }, 600_000);

  it('go on when etcd’s leader is slow', async () => {
    const victim = await world.etcdLeader();
    const pid = world.etcdPid(victim);
    const from = performance.now();
    while (performance.now() - from < HOLD_MS) {
      process.kill(pid, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 300));
      process.kill(pid, 'SIGCONT');
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    world.report.push(
      `slow etcd leader (${victim.name}): longest time without a write ${(world.writer.longestGap(from) / 1000).toFixed(1)} s`,
    );
    expect(await world.writer.lost(world.servers[0]!.address)).toEqual([]);
  }, 300_000);

  it('go on when the disk of one is full, and it comes back by itself', async () => {
    const victim = world.servers[2]!;
    const filling = join(victim.directory, 'filling');
    await world.disaster({
      what: 'full disk',
      victim,
      strike: () => void spawnSync('dd', ['if=/dev/zero', `of=${filling}`, 'bs=1M']),
      undo: () => rmSync(filling),
    });
  }, 300_000);

  it('go on when the clock of one is an hour off', async () => {
    const victim = world.servers[1]!;
    for (const seconds of [3600, -3600, 0]) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(seconds));
      const from = performance.now();
      writeFileSync(wallClockFile, bytes, { flag: 'r+' });
      await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
      world.report.push(
        `clock of ${victim.name} ${seconds} s off: longest time without a write ${(world.writer.longestGap(from) / 1000).toFixed(1)} s, failures ${world.writer.failures}`,
      );
      expect(await world.writer.lost(world.servers[0]!.address)).toEqual([]);
    }
    expect(world.processes.get(victim.name)!.exited).toBe(false);
  }, 300_000);

  it('keep the worker Ready through all of it', async () => {
    await until(
      'the worker is Ready',
      async () => (await world.status(world.servers[0]!)).nodes.some(({ name, ready }) => name === 'w' && ready),
      SOON,
    );
  }, 120_000);

  it('take a fourth server and another worker under load', async () => {
    const [first] = world.servers as [Machine];
    const from = performance.now();
    const [fourth, second] = [machines.add('d'), machines.add('v')];
    await world.startMachine(fourth, (await world.token(first, '--control-plane')).command.split(' ').slice(1));
    await world.startMachine(second, (await world.token(first)).command.split(' ').slice(1));
    const { etcd, nodes } = await world.status(fourth);
    expect(etcd?.members.map(({ name, role }) => `${name} ${role === 'learner'}`).sort()).toEqual([
      ...['a false', 'b false', 'c false', 'd false'],
    ]);
    expect(nodes.find(({ name }) => name === 'v')?.ready).toBe(true);
    world.servers = [...world.servers, fourth];
    world.report.push(
      `a fourth server and a worker: longest time without a write ${(world.writer.longestGap(from) / 1000).toFixed(1)} s`,
    );
    expect(await world.writer.lost(fourth.address)).toEqual([]);
  }, 300_000);

  it('can be left by any of them under load, the first too, and the worker stays', async () => {
    for (const leaving of [world.servers[1]!, world.servers[0]!, world.servers[3]!]) {
      const from = performance.now();
      world.servers = world.servers.filter((server) => server !== leaving);
      await leaving.k8ts(['leave', '--data-dir', leaving.directory, '--drain-timeout', '30s']);
      world.report.push(
        `${leaving.name} left: longest time without a write ${(world.writer.longestGap(from) / 1000).toFixed(1)} s`,
      );
      const { etcd, nodes } = await world.status(world.servers[0]!);
      expect(etcd?.members.map(({ name }) => name).sort()).toEqual(world.servers.map(({ name }) => name).sort());
      expect(nodes.map(({ name }) => name)).not.toContain(leaving.name);
      expect(await world.writer.lost(world.servers[0]!.address)).toEqual([]);
    }
    await until(
      'the worker is Ready at the last server',
      async () => (await world.status(world.servers[0]!)).nodes.some(({ name, ready }) => name === 'w' && ready),
      { ...SOON, limitMs: 120_000 },
    );
    await world.writer.stop();
    const [last] = world.servers as [Machine];
    expect(await last.k8ts(['store', 'move', 'embedded', '--data-dir', last.directory])).toContain(
      'embedded store now',
    );
    expect(await world.writer.lost(last.address)).toEqual([]);
    world.report.push(
      `${world.writer.acknowledged.length} writes acknowledged in all, none lost; ${world.writer.failures} refused or unanswered`,
    );
  }, 400_000);
});
