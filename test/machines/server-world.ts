/**
 * Three servers with a member of etcd each, and workers, under writes that are counted. A disaster strikes one of them and is
 * undone again; meanwhile writes and leaders have to come back. What was measured is in `report`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ClusterStatus } from '../../src/cluster/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { quietMachine } from '../requires.ts';
import { Machines, type Machine, type MachineProcess } from './machines.ts';
import { WorldClient, Writer } from './world-client.ts';

export const SOON = { limitMs: 60_000, intervalMs: 200 };
export const HOLD_MS = 20_000;
const WRITES_BACK_MS = 10_000;
const LEADERS_BACK_MS = 15_000;

export interface ServerWorldOptions {
  readonly workers: readonly string[];
  /** Flags of the first server: the others get them with the keys. */
  readonly serverFlags?: () => readonly string[];
  /** Flags of every worker. */
  readonly workerFlags?: () => readonly string[];
}

export interface Disaster {
  readonly what: string;
  readonly victim: Machine;
  readonly strike: () => void;
  readonly undo: () => Promise<void> | void;
  /** The API server of the victim goes on. */
  readonly isServerAlive?: boolean;
  /** What has to happen before it is undone, besides writes and leaders. */
  readonly before?: () => Promise<void>;
}

interface Held {
  readonly holder: string;
  readonly renewed: string;
}

export class ServerWorld {
  readonly machines = new Machines();
  servers: Machine[];
  readonly workers: readonly Machine[];
  readonly processes = new Map<string, MachineProcess>();
  readonly environments = new Map<string, NodeJS.ProcessEnv>();
  readonly report: string[] = [];
  readonly #options: ServerWorldOptions;
  readonly #dead = new Set<string>();
  #client: WorldClient | undefined;
  #writer: Writer | undefined;

  constructor(options: ServerWorldOptions) {
    this.#options = options;
    this.servers = ['a', 'b', 'c'].map((name) => this.machines.add(name));
    this.workers = options.workers.map((name) => this.machines.add(name));
    // A small disk, which can be filled.
    const third = this.servers[2]!;
    mkdirSync(third.directory);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', third.directory]);
  }

  get client(): WorldClient {
    return this.#client!;
  }

  get writer(): Writer {
    return this.#writer!;
  }

  async start(): Promise<void> {
    const [first, ...others] = this.servers as [Machine, ...Machine[]];
    const flags = ['--bind-address', first.address, '--console=false', '--simulated-nodes', '0'];
    await this.startMachine(first, ['up', '--etcd', 'managed', ...flags, ...(this.#options.serverFlags?.() ?? [])]);
    for (const server of others) {
      const { command } = await this.token(first, '--control-plane');
      await this.startMachine(server, [...command.split(' ').slice(1)]);
    }
    for (const worker of this.workers) {
      const { command } = await this.token(others[0] ?? first);
      const flags = ['--node-ip', worker.address, ...(this.#options.workerFlags?.() ?? [])];
      await this.startMachine(worker, [...command.split(' ').slice(1), ...flags]);
    }
    this.#client = new WorldClient(this.machines.outside, join(first.directory, 'kubeconfig'));
    this.#writer = new Writer(this.#client, () => this.servers.map(({ address }) => address));
    this.#writer.start();
  }

  /** Also after a failure. */
  async stop(): Promise<void> {
    await this.#writer?.stop();
    console.log(this.report.join('\n'));
    spawnSync('umount', ['--lazy', join(this.machines.scratch, 'c')]);
    await this.machines.remove();
  }

  async startMachine(machine: Machine, args: readonly string[]): Promise<void> {
    const flags = ['--data-dir', machine.directory, '--node-name', machine.name];
    const started = await machine.start([...args, ...flags], this.environments.get(machine.name));
    this.processes.set(machine.name, started);
  }

  /** A machine that was set up before needs no line to join. */
  startAgain(machine: Machine): Promise<void> {
    const { serverFlags, workerFlags } = this.#options;
    if (machine.name === 'a')
      return this.startMachine(machine, [
        'up',
        '--bind-address',
        machine.address,
        '--console=false',
        ...(serverFlags?.() ?? []),
      ]);
    return this.startMachine(machine, ['join', ...(this.workers.includes(machine) ? (workerFlags?.() ?? []) : [])]);
  }

  async token(server: Machine, ...flags: string[]): Promise<{ command: string }> {
    const text = await server.k8ts(['token', 'create', ...flags, '--data-dir', server.directory, '-o', 'json']);
    return JSON.parse(text) as { command: string };
  }

  etcdPid({ directory }: Machine): number {
    return Number(readFileSync(join(directory, 'etcd.pid'), 'utf8'));
  }

  k8tsPid({ name }: Machine): number {
    return this.processes.get(name)!.pid;
  }

  alive(): Machine[] {
    return this.servers.filter(({ name }) => !this.#dead.has(name));
  }

  async status({ directory, k8ts }: Machine = this.alive()[0]!): Promise<ClusterStatus> {
    return JSON.parse(await k8ts(['status', '--data-dir', directory, '-o', 'json'])) as ClusterStatus;
  }

  async etcdLeader(): Promise<Machine> {
    let found: Machine | undefined;
    await until(
      'etcd has a leader',
      async () => {
        const { etcd } = await this.status();
        const name = etcd?.members.find(({ role }) => role === 'leader')?.name;
        return (found = this.servers.find((server) => server.name === name)) !== undefined;
      },
      SOON,
    );
    return found!;
  }

  /** What any living server answers. */
  async get<T>(path: string): Promise<T | undefined> {
    for (const { address } of this.alive()) {
      const answer = await this.client.call(address, 'GET', path);
      if (answer?.status === 200) return answer.body as T;
    }
    return undefined;
  }

  async #lease(name: string): Promise<Held | undefined> {
    const lease = await this.get<{ spec: { holderIdentity: string; renewTime: string } }>(
      `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`,
    );
    return lease && { holder: lease.spec.holderIdentity, renewed: lease.spec.renewTime };
  }

  async leaderMachine(): Promise<Machine> {
    const held = await this.#lease('kube-controller-manager');
    return this.servers.find(({ name }) => held?.holder.startsWith(`${name}_`)) ?? this.servers[0]!;
  }

  /** Leaders are those that renew: a holder among the living, with a renewal that was not there before. */
  async #leadersBack(from: number): Promise<number> {
    const before = new Map<string, string | undefined>();
    for (const name of ['kube-controller-manager', 'kube-scheduler'])
      before.set(name, (await this.#lease(name))?.renewed);
    await until(
      'leaders renew',
      async () => {
        for (const [name, renewed] of before) {
          const now = await this.#lease(name);
          const isAlive = this.alive().some((server) => now?.holder.startsWith(`${server.name}_`));
          if (!now || !isAlive || now.renewed === renewed) return false;
        }
        return true;
      },
      { limitMs: 90_000, intervalMs: 250 },
    );
    return performance.now() - from;
  }

  /** Strikes, measures, undoes, and waits until all is well again. */
  async disaster({ what, victim, strike, undo, isServerAlive = false, before }: Disaster): Promise<void> {
    const { writer } = this;
    const from = performance.now();
    if (!isServerAlive) this.#dead.add(victim.name);
    strike();
    await until('writes are back', () => writer.firstAfter(from + 50) !== undefined, SOON);
    const leaders = await this.#leadersBack(from);
    await before?.();
    const held = performance.now() - from;
    if (held < HOLD_MS) await new Promise((resolve) => setTimeout(resolve, HOLD_MS - held));
    const gap = writer.longestGap(from);
    this.#dead.delete(victim.name);
    await undo();
    await until(
      'all members are well',
      async () => {
        const { etcd } = await this.status(this.servers[0]!);
        return etcd?.members.length === 3 && etcd.members.every(({ healthy }) => healthy);
      },
      { limitMs: 120_000, intervalMs: 1000 },
    );
    this.report.push(
      `${what} (${victim.name}): longest time without a write ${(gap / 1000).toFixed(1)} s, leaders renew after ${(leaders / 1000).toFixed(1)} s, ${writer.acknowledged.length} writes`,
    );
    expect(await writer.lost(this.servers[0]!.address)).toEqual([]);
    if (!quietMachine) return;
    expect(gap, what).toBeLessThan(WRITES_BACK_MS);
    expect(leaders, what).toBeLessThan(LEADERS_BACK_MS);
  }
}
