/** A machine whose cluster is in an etcd that it runs: killed, saved, restored, moved there and back. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../src/api/generated/core-v1.ts';
import type { ClusterStatus } from '../../src/cluster/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { connectIn } from '../../src/net/netns/index.ts';
import { everything, requires } from '../requires.ts';
import { busyboxImage, dockerArchive } from '../test-images.ts';
import { containerOf, kubectlOn } from './kubectl.ts';
import { Machines, type Machine, type MachineProcess } from './machines.ts';

const missing = everything
  ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox', 'kubectl', 'etcd', 'etcdctl')
  : 'long form';
const SOON = { limitMs: 60_000, intervalMs: 200 };

describe.skipIf(missing !== undefined)(
  `a cluster in an etcd of its own${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let machines: Machines;
    let server: Machine;
    let process_: MachineProcess;
    const up = (...flags: string[]): Promise<MachineProcess> =>
      server.start([
        ...['up', '--bind-address', server.address, '--data-dir', server.directory, '--node-name', server.name],
        ...['--console=false', ...flags],
      ]);
    const k8ts = (...args: string[]): Promise<string> => server.k8ts([...args, '--data-dir', server.directory]);
    const { kubectl, apply } = kubectlOn(
      () => machines,
      () => server,
    );
    const status = async (): Promise<ClusterStatus> => JSON.parse(await k8ts('status', '-o', 'json')) as ClusterStatus;
    const etcdPid = (): number => Number(readFileSync(join(server.directory, 'etcd.pid'), 'utf8'));
    const container = async (): Promise<string> => {
      const pod = JSON.parse(await kubectl('get', 'pod', 'lasting', '-o', 'json')) as Pod;
      const [only] = pod.status?.containerStatuses ?? [];
      return `${only?.containerID} ${only?.restartCount} ${pod.metadata.uid}`;
    };

    beforeAll(async () => {
      machines = new Machines();
      server = machines.add('alone');
      const archive = join(machines.scratch, 'images.tar');
      writeFileSync(archive, dockerArchive(busyboxImage()));
      process_ = await up();
      await k8ts('image', 'load', archive);
      await apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'lasting' },
        spec: { containers: [containerOf('busybox', 'exec sleep 100000')] },
      });
      await kubectl('create', 'secret', 'generic', 'kept', '--from-literal=word=zebra');
      await until('the pod runs', async () => (await container()).startsWith('k8ts'), SOON);
    }, 400_000);
    afterAll(() => machines.remove(), 60_000);

    const word = (): Promise<string> => kubectl('get', 'secret', 'kept', '-o', 'jsonpath={.data.word}');
    const zebra = Buffer.from('zebra').toString('base64');

    it('moves from the embedded store with one command: the pod runs on, revisions and Secrets stay', async () => {
      const before = await container();
      const revision = await kubectl('get', 'secret', 'kept', '-o', 'jsonpath={.metadata.resourceVersion}');
      expect(await k8ts('store', 'move', 'etcd')).toMatch(/\d+ keys at revision \d+ are in etcd now/);
      expect(await container()).toBe(before);
      expect(await kubectl('get', 'secret', 'kept', '-o', 'jsonpath={.metadata.resourceVersion}')).toBe(revision);
      expect(await word()).toBe(zebra);
      const { etcd } = await status();
      expect(etcd?.members).toMatchObject([{ name: 'alone', role: 'leader', healthy: true }]);
      // Encrypted at rest, in etcd's file too.
      expect(readFileSync(join(server.directory, 'etcd-member', 'member', 'snap', 'db')).includes('zebra')).toBe(false);
    }, 120_000);

    it('starts etcd again when it is killed, and answers meanwhile with an error at worst', async () => {
      const before = etcdPid();
      process.kill(before, 'SIGKILL');
      await until(
        'writes are back',
        async () =>
          kubectl('create', 'cm', 'after-kill').then(
            () => true,
            () => false,
          ),
        SOON,
      );
      expect(etcdPid()).not.toBe(before);
    }, 120_000);

    it('leaves no etcd behind when k8ts is killed, and finds everything after a start', async () => {
      const [pid, before] = [etcdPid(), await container()];
      await process_.stop('SIGKILL');
      await until('etcd has ended', () => !existsSync(`/proc/${pid}`), SOON);
      process_ = await up();
      expect(await container()).toBe(before);
      await kubectl('get', 'cm', 'after-kill');
    }, 120_000);

    it('refuses clients without a certificate of its CA, and those of the cluster’s CA', async () => {
      const pki = (name: string): string => readFileSync(join(server.directory, 'pki', name), 'utf8');
      const tryWith = (credentials: tls.ConnectionOptions): Promise<string> =>
        new Promise((resolve) => {
          const raw = connectIn({ netns: machines.outside, host: server.address, port: 2379 });
          const socket = tls.connect({ socket: raw, ca: pki('etcd/ca.crt'), ALPNProtocols: ['h2'], ...credentials });
          socket.on('error', (error) => resolve(error.message));
          // TLS 1.3 tells a client with its first bytes that it is refused.
          socket.on('data', () => resolve('answered'));
          socket.on('close', () => resolve('closed'));
          socket.on('secureConnect', () => socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0'));
        });
      expect(await tryWith({ checkServerIdentity: () => undefined })).not.toBe('answered');
      const kubelet = { cert: pki('apiserver-kubelet-client.crt'), key: pki('apiserver-kubelet-client.key') };
      expect(await tryWith({ checkServerIdentity: () => undefined, ...kubelet })).not.toBe('answered');
      const own = { cert: pki('apiserver-etcd-client.crt'), key: pki('apiserver-etcd-client.key') };
      expect(await tryWith({ checkServerIdentity: () => undefined, ...own })).toBe('answered');
    });

    it('takes snapshots on a schedule and keeps the newest', async () => {
      await process_.stop();
      process_ = await up('--etcd-snapshot-schedule', '@every 2s', '--etcd-snapshot-retention', '2');
      const files = (): string[] => {
        const directory = join(server.directory, 'etcd-snapshots');
        return existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.db')) : [];
      };
      let seen = new Set<string>();
      await until('five snapshots were taken', () => (seen = new Set([...seen, ...files()])).size >= 5, SOON);
      expect(files().length).toBeLessThanOrEqual(3);
      const newest = join(server.directory, 'etcd-snapshots', files().sort().at(-1)!);
      expect(
        execFileSync('etcdctl', ['snapshot', 'status', newest], {
          env: { ...process.env, ETCDCTL_API: '3' },
        }).toString(),
      ).toMatch(/^[0-9a-f]+, \d+/);
      await process_.stop();
      process_ = await up('--etcd-snapshot-schedule', 'none');
    }, 180_000);

    it('restores a snapshot with one command', async () => {
      await k8ts('store', 'snapshot');
      await kubectl('create', 'cm', 'too-late');
      const before = await container();
      expect(await k8ts('store', 'restore', 'latest')).toContain('restored');
      await expect(kubectl('get', 'cm', 'too-late')).rejects.toThrow('NotFound');
      await kubectl('get', 'cm', 'after-kill');
      expect([await container(), await word()]).toEqual([before, zebra]);
      // What is written after it stays, over another start.
      await kubectl('create', 'cm', 'after-restore');
      await process_.stop();
      process_ = await up();
      await kubectl('get', 'cm', 'after-restore');
    }, 180_000);

    it('moves back to the embedded store, and nothing is lost', async () => {
      const before = await container();
      expect(await k8ts('store', 'move', 'embedded')).toContain('are in the embedded store now');
      expect([await container(), await word()]).toEqual([before, zebra]);
      await kubectl('get', 'cm', 'after-restore');
      expect((await status()).etcd).toBeUndefined();
      expect(existsSync(join(server.directory, 'etcd.pid'))).toBe(false);
      await process_.stop();
      process_ = await up();
      expect([await container(), await word()]).toEqual([before, zebra]);
    }, 120_000);

    it('says by name what cannot be done', async () => {
      await expect(k8ts('store', 'restore', 'latest')).rejects.toThrow('not kept in an etcd that it runs');
      await expect(k8ts('store', 'move', 'embedded')).rejects.toThrow('not kept in an etcd that it runs');
      await process_.stop();
      await expect(k8ts('up', '--etcd=managed', '--bind-address', server.address)).rejects.toThrow(
        'k8ts store move etcd',
      );
      await expect(k8ts('store', 'move', 'etcd', '--etcd-binary', '/nowhere/etcd')).rejects.toThrow('/nowhere/etcd');
    }, 60_000);
  },
);
