/**
 * Three servers with a member of etcd each, and a worker, under writes that are counted, while processes are killed and
 * frozen, links cut, disks filled and clocks moved. What it measured is printed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterStatus } from '../../src/cluster/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { everything, requires } from '../requires.ts';
import { Machines, type Machine, type MachineProcess } from './machines.ts';
import { WorldClient, Writer } from './world-client.ts';

const missing = everything
  ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'kubectl', 'etcd', 'etcdctl', 'gcc')
  : 'long form';
const SOON = { limitMs: 60_000, intervalMs: 200 };
const HOLD_MS = 20_000;
const WRITES_BACK_MS = 10_000;
const LEADERS_BACK_MS = 15_000;
/** Figures by the clock are held to only where nothing else uses the processors. */
const strict = process.env['K8TS_QUIET_MACHINE'] === '1';

describe.skipIf(missing !== undefined)(`three servers${missing === undefined ? '' : ` (${missing})`}`, () => {
  let machines: Machines;
  let servers: Machine[];
  let worker: Machine;
  const processes = new Map<string, MachineProcess>();
  let client: WorldClient;
  let writer: Writer;
  let wallClockFile: string;
  const report: string[] = [];
  const frozenOrDead = new Set<string>();
  const alive = (): Machine[] => servers.filter(({ name }) => !frozenOrDead.has(name));

  beforeAll(async () => {
    machines = new Machines();
    servers = ['a', 'b', 'c'].map((name) => machines.add(name));
    worker = machines.add('w');
    const [first, second, third] = servers as [Machine, Machine, Machine];
    // A small disk, which can be filled.
    mkdirSync(third.directory);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', third.directory]);
    const library = join(machines.scratch, 'wall-clock.so');
    wallClockFile = join(machines.scratch, 'wall-clock');
    const source = join(import.meta.dirname, '..', 'attacks', 'clock-jump', 'wall-clock.c');
    execFileSync('gcc', ['-O1', '-shared', '-fPIC', '-o', library, source]);
    writeFileSync(wallClockFile, Buffer.alloc(8));
    environments.set(second.name, { ...process.env, LD_PRELOAD: library, WALL_CLOCK_FILE: wallClockFile });
    await start(first, [
      ...['up', '--etcd', 'managed', '--bind-address', first.address, '--console=false', '--simulated-nodes', '0'],
    ]);
    for (const server of [second, third]) {
      const { command } = await token(first, '--control-plane');
      await start(server, command.split(' ').slice(1));
    }
    await start(worker, [...(await token(second)).command.split(' ').slice(1), '--node-ip', worker.address]);
    client = new WorldClient(machines.outside, join(first.directory, 'kubeconfig'));
    writer = new Writer(client, () => servers.map(({ address }) => address));
    writer.start();
  }, 600_000);
  afterAll(async () => {
    await writer?.stop();
    console.log(report.join('\n'));
    spawnSync('umount', ['--lazy', join(machines.scratch, 'c')]);
    await machines.remove();
  }, 60_000);

  const environments = new Map<string, NodeJS.ProcessEnv>();
  async function start(machine: Machine, args: readonly string[]): Promise<void> {
    const flags = ['--data-dir', machine.directory, '--node-name', machine.name];
    const started = await machine.start([...args, ...flags], environments.get(machine.name));
    processes.set(machine.name, started);
  }
  const startAgain = (machine: Machine): Promise<void> =>
    start(machine, machine.name === 'a' ? ['up', '--bind-address', machine.address, '--console=false'] : ['join']);
  async function token(server: Machine, ...flags: string[]): Promise<{ command: string }> {
    const text = await server.k8ts(['token', 'create', ...flags, '--data-dir', server.directory, '-o', 'json']);
    return JSON.parse(text) as { command: string };
  }
  const etcdPid = ({ directory }: Machine): number => Number(readFileSync(join(directory, 'etcd.pid'), 'utf8'));
  const k8tsPid = ({ name }: Machine): number => processes.get(name)!.pid;
  const status = async ({ directory, k8ts }: Machine): Promise<ClusterStatus> =>
    JSON.parse(await k8ts(['status', '--data-dir', directory, '-o', 'json'])) as ClusterStatus;
  const etcdLeader = async (): Promise<Machine> => {
    let found: Machine | undefined;
    await until(
      'etcd has a leader',
      async () => {
        const { etcd } = await status(alive()[0]!);
        const name = etcd?.members.find(({ role }) => role === 'leader')?.name;
        return (found = servers.find((server) => server.name === name)) !== undefined;
      },
      SOON,
    );
    return found!;
  };
  interface Held {
    readonly holder: string;
    readonly renewed: string;
  }
  const lease = async (name: string): Promise<Held | undefined> => {
    for (const { address } of alive()) {
      const path = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`;
      const answer = await client.call(address, 'GET', path);
      if (answer?.status !== 200) continue;
      const { spec } = answer.body as { spec: { holderIdentity: string; renewTime: string } };
      return { holder: spec.holderIdentity, renewed: spec.renewTime };
    }
    return undefined;
  };
  const leaderMachine = async (): Promise<Machine> => {
    const held = await lease('kube-controller-manager');
    return servers.find(({ name }) => held?.holder.startsWith(`${name}_`)) ?? servers[0]!;
  };
  /** Leaders are those that renew: a holder among the living, with a renewal that was not there before. */
  const leadersBack = async (from: number): Promise<number> => {
    const before = new Map<string, string | undefined>();
    for (const name of ['kube-controller-manager', 'kube-scheduler']) before.set(name, (await lease(name))?.renewed);
    await until(
      'leaders renew',
      async () => {
        for (const [name, renewed] of before) {
          const now = await lease(name);
          const isAlive = alive().some((server) => now?.holder.startsWith(`${server.name}_`));
          if (!now || !isAlive || now.renewed === renewed) return false;
        }
        return true;
      },
      { limitMs: 90_000, intervalMs: 250 },
    );
    return performance.now() - from;
  };

  /** Strikes, measures, undoes, and waits until all is well again. */
  async function disaster(
    what: string,
    victim: Machine,
    strike: () => void,
    undo: () => Promise<void> | void,
    { isServerAlive = false } = {},
  ) {
    const from = performance.now();
    if (!isServerAlive) frozenOrDead.add(victim.name);
    strike();
    await until('writes are back', () => writer.firstAfter(from + 50) !== undefined, SOON);
    const leaders = await leadersBack(from);
    const held = performance.now() - from;
    if (held < HOLD_MS) await new Promise((resolve) => setTimeout(resolve, HOLD_MS - held));
    const gap = writer.longestGap(from);
    frozenOrDead.delete(victim.name);
    await undo();
    await until(
      'all members are well',
      async () => {
        const { etcd } = await status(servers[0]!);
        return etcd?.members.length === 3 && etcd.members.every(({ healthy }) => healthy);
      },
      { limitMs: 120_000, intervalMs: 1000 },
    );
    report.push(
      `${what} (${victim.name}): longest time without a write ${(gap / 1000).toFixed(1)} s, leaders renew after ${(leaders / 1000).toFixed(1)} s, ${writer.acknowledged.length} writes`,
    );
    expect(await writer.lost(servers[0]!.address)).toEqual([]);
    if (!strict) return;
    expect(gap).toBeLessThan(WRITES_BACK_MS);
    expect(leaders).toBeLessThan(LEADERS_BACK_MS);
  }

  it('are one cluster: nodes, members, endpoints, a balancer that knows all of them', async () => {
    const { etcd, nodes } = await status(servers[1]!);
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
        const answer = await client.call(servers[0]!.address, 'GET', slice);
        const { endpoints } = (answer ?? { body: { endpoints: [] } }).body as { endpoints: { addresses: string[] }[] };
        return (
          endpoints
            .flatMap(({ addresses }) => addresses)
            .sort()
            .join() === servers.map(({ address }) => address).join()
        );
      },
      SOON,
    );
    const record = (): { servers?: string[] } =>
      JSON.parse(readFileSync(join(worker.directory, 'machine.json'), 'utf8')) as { servers?: string[] };
    await until('the worker remembers them', () => record().servers?.length === 3, SOON);
    for (const [name, { readySeconds, processorSeconds }] of processes)
      report.push(`${name} ready in ${readySeconds} s, ${processorSeconds} s of a processor`);
  }, 120_000);

  it('give their keys to nobody without the whole line', async () => {
    const [first] = servers as [Machine];
    const workerToken = /--token (\S+)/.exec((await token(first)).command)![1]!;
    const { command } = await token(first, '--control-plane');
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
    const victim = await etcdLeader();
    await disaster(
      'kill -9 of the leading etcd',
      victim,
      () => process.kill(etcdPid(victim), 'SIGKILL'),
      () => undefined,
      { isServerAlive: true },
    );
  }, 300_000);

  it('go on when the leading server is killed', async () => {
    const victim = await leaderMachine();
    await disaster(
      'kill -9 of the leading k8ts',
      victim,
      () => process.kill(k8tsPid(victim), 'SIGKILL'),
      () => startAgain(victim),
    );
  }, 300_000);

  it('go on when the leading server is frozen, which leads no more when it wakes', async () => {
    const victim = await leaderMachine();
    await disaster(
      'freeze of the leading k8ts',
      victim,
      () => process.kill(k8tsPid(victim), 'SIGSTOP'),
      () => void process.kill(k8tsPid(victim), 'SIGCONT'),
    );
    await until('it has noticed', () => processes.get(victim.name)!.output().includes('No longer the leader'), SOON);
  }, 300_000);

  it('go on when etcd’s leader is frozen', async () => {
    const victim = await etcdLeader();
    const pid = etcdPid(victim);
    await disaster(
      'freeze of the leading etcd',
      victim,
      () => process.kill(pid, 'SIGSTOP'),
      () => void process.kill(pid, 'SIGCONT'),
      { isServerAlive: true },
    );
  }, 300_000);

  it('go on when the link of each machine is cut', async () => {
    for (const victim of servers)
      await disaster(
        'cut link',
        victim,
        () => victim.cut(),
        () => victim.mend(),
      );
  }, 600_000);

  it('go on when etcd’s leader is slow', async () => {
    const victim = await etcdLeader();
    const pid = etcdPid(victim);
    const from = performance.now();
    while (performance.now() - from < HOLD_MS) {
      process.kill(pid, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 300));
      process.kill(pid, 'SIGCONT');
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    report.push(
      `slow etcd leader (${victim.name}): longest time without a write ${(writer.longestGap(from) / 1000).toFixed(1)} s`,
    );
    expect(await writer.lost(servers[0]!.address)).toEqual([]);
  }, 300_000);

  it('go on when the disk of one is full, and it comes back by itself', async () => {
    const victim = servers[2]!;
    const filling = join(victim.directory, 'filling');
    await disaster(
      'full disk',
      victim,
      () => void spawnSync('dd', ['if=/dev/zero', `of=${filling}`, 'bs=1M']),
      () => rmSync(filling),
    );
  }, 300_000);

  it('go on when the clock of one is an hour off', async () => {
    const victim = servers[1]!;
    for (const seconds of [3600, -3600, 0]) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(seconds));
      const from = performance.now();
      writeFileSync(wallClockFile, bytes, { flag: 'r+' });
      await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
      report.push(
        `clock of ${victim.name} ${seconds} s off: longest time without a write ${(writer.longestGap(from) / 1000).toFixed(1)} s, failures ${writer.failures}`,
      );
      expect(await writer.lost(servers[0]!.address)).toEqual([]);
    }
    expect(processes.get(victim.name)!.exited).toBe(false);
  }, 300_000);

  it('keep the worker Ready through all of it', async () => {
    await until(
      'the worker is Ready',
      async () => (await status(servers[0]!)).nodes.some(({ name, ready }) => name === 'w' && ready),
      SOON,
    );
  }, 120_000);

  it('take a fourth server and another worker under load', async () => {
    const [first] = servers as [Machine];
    const from = performance.now();
    const [fourth, second] = [machines.add('d'), machines.add('v')];
    await start(fourth, (await token(first, '--control-plane')).command.split(' ').slice(1));
    await start(second, (await token(first)).command.split(' ').slice(1));
    const { etcd, nodes } = await status(fourth);
    expect(etcd?.members.map(({ name, role }) => `${name} ${role === 'learner'}`).sort()).toEqual([
      ...['a false', 'b false', 'c false', 'd false'],
    ]);
    expect(nodes.find(({ name }) => name === 'v')?.ready).toBe(true);
    servers = [...servers, fourth];
    report.push(
      `a fourth server and a worker: longest time without a write ${(writer.longestGap(from) / 1000).toFixed(1)} s`,
    );
    expect(await writer.lost(fourth.address)).toEqual([]);
  }, 300_000);

  it('can be left by any of them under load, the first too, and the worker stays', async () => {
    for (const leaving of [servers[1]!, servers[0]!, servers[3]!]) {
      const from = performance.now();
      servers = servers.filter((server) => server !== leaving);
      await leaving.k8ts(['leave', '--data-dir', leaving.directory, '--drain-timeout', '30s']);
      report.push(
        `${leaving.name} left: longest time without a write ${(writer.longestGap(from) / 1000).toFixed(1)} s`,
      );
      const { etcd, nodes } = await status(servers[0]!);
      expect(etcd?.members.map(({ name }) => name).sort()).toEqual(servers.map(({ name }) => name).sort());
      expect(nodes.map(({ name }) => name)).not.toContain(leaving.name);
      expect(await writer.lost(servers[0]!.address)).toEqual([]);
    }
    await until(
      'the worker is Ready at the last server',
      async () => (await status(servers[0]!)).nodes.some(({ name, ready }) => name === 'w' && ready),
      { ...SOON, limitMs: 120_000 },
    );
    await writer.stop();
    const [last] = servers as [Machine];
    expect(await last.k8ts(['store', 'move', 'embedded', '--data-dir', last.directory])).toContain(
      'embedded store now',
    );
    expect(await writer.lost(last.address)).toEqual([]);
    report.push(
      `${writer.acknowledged.length} writes acknowledged in all, none lost; ${writer.failures} refused or unanswered`,
    );
  }, 400_000);
});
