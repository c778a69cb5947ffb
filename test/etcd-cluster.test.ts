import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { RealClock } from '../src/kernel/index.ts';
import { type EtcdProcess, type MemberPlace, startMember } from './etcd-process.ts';
import { everything, requires } from './requires.ts';

const skip = everything ? requires('root', 'ip', 'etcd', 'etcdctl') : 'only with K8TS_EVERYTHING=1';
const clock = new RealClock();

/** Three namespaces for the members and one for the client, joined by a bridge in a fifth: nothing touches the host. */
class ClusterNetwork {
  private readonly tag = `kt${process.pid}`;
  readonly places: MemberPlace[];
  private readonly namespaces: string[] = [];

  constructor() {
    this.places = [1, 2, 3].map((i) => ({
      name: `m${i}`,
      clientUrl: `http://10.99.0.${i}:2379`,
      peerUrl: `http://10.99.0.${i}:2380`,
      namespace: `${this.tag}-m${i}`,
    }));
  }

  get client(): string {
    return `${this.tag}-client`;
  }

  get endpoints(): string {
    return this.places.map(({ clientUrl }) => clientUrl).join();
  }

  make(): void {
    const hub = `${this.tag}-hub`;
    this.addNamespace(hub);
    ip('-n', hub, 'link', 'add', 'br0', 'type', 'bridge');
    ip('-n', hub, 'link', 'set', 'br0', 'up');
    [...this.places.map(({ namespace }) => namespace!), this.client].forEach((namespace, i) => {
      this.addNamespace(namespace);
      ip('-n', hub, 'link', 'add', `port${i + 1}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      ip('-n', hub, 'link', 'set', `port${i + 1}`, 'master', 'br0', 'up');
      ip('-n', namespace, 'addr', 'add', `10.99.0.${i + 1}/24`, 'dev', 'eth0');
      ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    });
  }

  /** Cuts the member's cable, or plugs it in again. */
  connect(member: number, connected: boolean): void {
    ip('-n', `${this.tag}-hub`, 'link', 'set', `port${member + 1}`, connected ? 'up' : 'down');
  }

  etcdctl(...args: string[]): string {
    return execFileSync('ip', ['netns', 'exec', this.client, 'etcdctl', '--endpoints', this.endpoints, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    }).toString();
  }

  remove(): void {
    for (const namespace of this.namespaces) ip('netns', 'delete', namespace);
  }

  private addNamespace(name: string): void {
    ip('netns', 'add', name);
    this.namespaces.push(name);
    ip('-n', name, 'link', 'set', 'lo', 'up');
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

interface Verdict {
  acked: number;
  stored: number;
  lost: string[];
  unseen: string[];
  repeated: number;
  outOfOrder: number;
  failures: Record<string, number>;
}

class ClusterClient {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly lines: AsyncIterator<string>;

  constructor(network: ClusterNetwork) {
    const script = join(import.meta.dirname, 'etcd-cluster-client.ts');
    const command = ['netns', 'exec', network.client, process.execPath, '--import', 'tsx', script, network.endpoints];
    this.child = spawn('ip', command, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async next<T>(): Promise<T> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error('the client ended');
    return JSON.parse(value) as T;
  }

  async report(): Promise<{ gapMs: number; acked: number }> {
    this.child.stdin.write('report\n');
    return this.next();
  }

  async finish(): Promise<Verdict> {
    this.child.stdin.end();
    return this.next();
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

interface MemberStatus {
  Endpoint: string;
  Status: { header: { member_id: number }; leader: number };
}

describe.skipIf(skip !== undefined)(`three etcd members${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  it('lose no acknowledged write when one is killed, one cut off and the leader moved; writes resume within 5 s', async () => {
    const network = new ClusterNetwork();
    const directory = mkdtempSync(join(tmpdir(), 'k8ts-cluster-'));
    const members: EtcdProcess[] = [];
    let client: ClusterClient | undefined;
    try {
      network.make();
      const initial = network.places.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join();
      const start = (i: number): EtcdProcess =>
        (members[i] = startMember(network.places[i]!, initial, join(directory, `m${i}`)));
      network.places.forEach((_, i) => start(i));
      await expect.poll(() => leaderIndex(network), { interval: 200 }).toBeGreaterThanOrEqual(0);

      client = new ClusterClient(network);
      await client.next();
      await clock.sleep(1000);
      await client.report();
      const gaps: Record<string, number> = {};
      const measure = async (name: string, watchMs: number, act: () => void | Promise<void>): Promise<void> => {
        const { acked } = await client!.report();
        await act();
        await clock.sleep(watchMs);
        const after = await client!.report();
        gaps[name] = after.gapMs;
        expect(after.gapMs, `longest time without a write after: ${name}`).toBeLessThan(5000);
        expect(after.acked).toBeGreaterThan(acked);
      };

      let leader = await leaderIndex(network);
      await measure('leader killed', 5500, () => members[leader]!.kill('SIGKILL'));
      await measure('killed member back', 1500, () => void start(leader));
      leader = await leaderIndex(network);
      await measure('leader cut off', 5500, () => network.connect(leader, false));
      await measure('cut off member back', 1500, () => network.connect(leader, true));
      await measure('leader moved', 1500, () => moveLeader(network));

      const verdict = await client.finish();
      console.log(
        'longest gaps without a write (ms):',
        gaps,
        'acknowledged writes:',
        verdict.acked,
        'refused:',
        verdict.failures,
      );
      expect(verdict).toMatchObject({ lost: [], unseen: [], repeated: 0, outOfOrder: 0 });
      expect(verdict.acked).toBeGreaterThan(100);
    } finally {
      await client?.close();
      await Promise.all(members.map((member) => member.kill('SIGKILL')));
      network.remove();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

function statuses(network: ClusterNetwork): MemberStatus[] {
  try {
    return JSON.parse(network.etcdctl('endpoint', 'status', '-w', 'json')) as MemberStatus[];
  } catch {
    return [];
  }
}

async function leaderIndex(network: ClusterNetwork): Promise<number> {
  const leader = statuses(network).find(
    ({ Status }) => Status.leader !== 0 && Status.leader === Status.header.member_id,
  );
  return network.places.findIndex(({ clientUrl }) => clientUrl === leader?.Endpoint);
}

async function moveLeader(network: ClusterNetwork): Promise<void> {
  // Ids have more digits than a JSON number keeps: take them from the text.
  const members = network
    .etcdctl('member', 'list')
    .trim()
    .split('\n')
    .map((line) => line.split(', '));
  const leader = network.places[await leaderIndex(network)]!;
  const other = members.find(([, , name]) => name !== leader.name)![0]!;
  execFileSync(
    'ip',
    ['netns', 'exec', network.client, 'etcdctl', '--endpoints', leader.clientUrl, 'move-leader', other],
    { stdio: 'ignore' },
  );
}
