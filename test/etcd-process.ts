import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealClock } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { freePort } from './free-port.ts';

/** Debian's etcd as a child process, for tests that compare with it or need it. */
export interface EtcdProcess {
  readonly url: string;
  readonly name: string;
  readonly child: ChildProcess;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface EtcdCluster {
  readonly members: EtcdProcess[];
  readonly endpoints: string[];
  close(): Promise<void>;
}

const clock = new RealClock();

export interface MemberPlace {
  name: string;
  clientUrl: string;
  peerUrl: string;
  /** A network namespace to run in. */
  namespace?: string;
}

export async function startEtcd(size = 1): Promise<EtcdCluster> {
  const places: MemberPlace[] = [];
  for (let i = 0; i < size; i++) {
    places.push({
      name: `m${i}`,
      clientUrl: `http://127.0.0.1:${await freePort()}`,
      peerUrl: `http://127.0.0.1:${await freePort()}`,
    });
  }
  return startEtcdAt(places);
}

export async function startEtcdAt(places: readonly MemberPlace[]): Promise<EtcdCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-etcd-'));
  const initial = places.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join();
  const members = places.map((place) => startMember(place, initial, join(directory, place.name)));
  const cluster: EtcdCluster = {
    members,
    endpoints: members.map(({ url }) => url),
    async close() {
      await Promise.all(members.map((member) => member.kill('SIGKILL')));
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await Promise.all(places.map((place) => waitUntilHealthy(place)));
  } catch (error) {
    await cluster.close();
    throw error;
  }
  return cluster;
}

export function startMember(place: MemberPlace, initialCluster: string, directory: string): EtcdProcess {
  const flags = [
    ['--name', place.name],
    ['--data-dir', directory],
    ['--listen-client-urls', place.clientUrl],
    ['--advertise-client-urls', place.clientUrl],
    ['--listen-peer-urls', place.peerUrl],
    ['--initial-advertise-peer-urls', place.peerUrl],
    ['--initial-cluster', initialCluster],
    ['--log-level', 'fatal'],
  ].flat();
  const [program, ...args] =
    place.namespace === undefined ? ['etcd', ...flags] : ['ip', 'netns', 'exec', place.namespace, 'etcd', ...flags];
  const child = spawn(program!, args, { stdio: ['ignore', 'ignore', 'ignore'] });
  return {
    url: place.clientUrl,
    name: place.name,
    child,
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

async function waitUntilHealthy({ clientUrl }: MemberPlace): Promise<void> {
  const isHealthy = (): Promise<boolean> =>
    fetch(`${clientUrl}/health`, { signal: clock.deadline(1000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(`etcd at ${clientUrl} is healthy`, isHealthy, { clock, intervalMs: 50 });
}
