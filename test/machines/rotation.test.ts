/**
 * Two servers with a member of etcd each and a worker with a pod: their certificates are renewed and their CAs exchanged, step
 * by step, while the pod runs on and answers.
 */
import { X509Certificate } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterStatus } from '../../src/cluster/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { connectIn } from '../../src/net/netns/index.ts';
import { everything, requires } from '../requires.ts';
import { busyboxImage, dockerArchive } from '../test-images.ts';
import { containerOf, kubectlOn } from './kubectl.ts';
import { Machines, type Machine } from './machines.ts';

const missing = everything
  ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox', 'kubectl', 'etcd', 'etcdctl')
  : 'long form';

describe.skipIf(missing !== undefined)(
  `the rotation of certificates${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let machines: Machines;
    let [first, second, worker]: Machine[] = [];
    let container: string;
    const { kubectl, apply } = kubectlOn(
      () => machines,
      () => first!,
    );
    const k8ts = (machine: Machine, ...args: string[]): Promise<string> =>
      machine.k8ts([...args, '--data-dir', machine.directory]);
    const rotate = (machine: Machine, step: string): Promise<string> =>
      k8ts(machine, 'certs', 'rotate-ca', step).catch((error: unknown) => `refused: ${String(error)}`);
    const line = async (...flags: string[]): Promise<string[]> => {
      const { command } = JSON.parse(await k8ts(first!, 'token', 'create', ...flags, '-o', 'json')) as {
        command: string;
      };
      return command.split(' ').slice(1);
    };
    const pem = (machine: Machine, name: string): string => readFileSync(join(machine.directory, 'pki', name), 'utf8');
    const containerId = (): Promise<string> =>
      kubectl('get', 'pod', 'lasting', '-o', 'jsonpath={.status.containerStatuses[0].containerID} {..restartCount}');
    /** The serial number of the certificate that a server shows. */
    const shown = (machine: Machine, port: number): Promise<string> =>
      new Promise((resolve, reject) => {
        const raw = connectIn({ netns: machine.netns, host: machine.address, port });
        const credentials = {
          cert: pem(machine, 'apiserver-etcd-client.crt'),
          key: pem(machine, 'apiserver-etcd-client.key'),
        };
        const socket = tls.connect({ socket: raw, rejectUnauthorized: false, ...credentials }, () => {
          resolve(socket.getPeerX509Certificate()!.serialNumber);
          socket.destroy();
        });
        socket.on('error', reject);
      });
    const allWell = async (): Promise<void> => {
      await until(
        'both members are well',
        async () => {
          const status = JSON.parse(await k8ts(first!, 'status', '-o', 'json')) as ClusterStatus;
          return status.etcd?.members.length === 2 && status.etcd.members.every(({ healthy }) => healthy);
        },
        { limitMs: 60_000, intervalMs: 500 },
      );
      expect(await kubectl('exec', 'lasting', '--', 'hostname')).toBe('lasting\n');
      expect(await containerId()).toBe(container);
    };

    beforeAll(async () => {
      machines = new Machines();
      const archive = join(machines.scratch, 'images.tar');
      writeFileSync(archive, dockerArchive(busyboxImage()));
      [first, second, worker] = ['first', 'second', 'worker'].map((name) => machines.add(name));
      const place = (machine: Machine): string[] => ['--data-dir', machine.directory, '--node-name', machine.name];
      await first!.start([
        ...['up', '--etcd', 'managed', '--bind-address', first!.address, '--console=false', ...place(first!)],
      ]);
      await second!.start([...(await line('--control-plane')), ...place(second!)]);
      const node = ['--node-ip', worker!.address, '--load-archive', archive];
      await worker!.start([...(await line()), ...place(worker!), ...node]);
      await apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'lasting' },
        spec: { nodeName: 'worker', containers: [containerOf('busybox', 'sleep 100000')] },
      });
      await kubectl('wait', '--for=condition=Ready', 'pod/lasting', '--timeout=120s');
      container = await containerId();
    }, 400_000);
    afterAll(() => machines.remove(), 60_000);

    it('renews the certificates of etcd while it runs', async () => {
      const before = await shown(first!, 2379);
      const pid = readFileSync(join(first!.directory, 'etcd.pid'), 'utf8');
      expect(await k8ts(first!, 'certs', 'renew', 'all')).toContain('apiserver-etcd-client, etcd-server, etcd-peer');
      const after = await shown(first!, 2379);
      expect(after).not.toBe(before);
      expect(after).toBe(new X509Certificate(pem(first!, 'etcd/server.crt')).serialNumber);
      expect(readFileSync(join(first!.directory, 'etcd.pid'), 'utf8')).toBe(pid);
      expect(await k8ts(first!, 'certs', 'check')).toMatch(/etcd-peer .* etcd-ca\n/);
      await allWell();
    }, 120_000);

    it('takes no step before the one before it was done everywhere', async () => {
      expect(await rotate(first!, 'switch')).toContain('there is no next CA yet');
      expect(await rotate(first!, 'finish')).toContain('no CA is on its way out');
      expect(await rotate(first!, 'begin')).toContain(`do the same on ${second!.address}`);
      expect(await rotate(first!, 'switch')).toContain(
        `"k8ts certs rotate-ca begin" was not done on ${second!.address}`,
      );
      await allWell();
    }, 240_000);

    it('exchanges the CAs of servers, machines and etcd, and the pod runs on', async () => {
      const old = join(machines.scratch, 'old.kubeconfig');
      const oldCa = pem(first!, 'ca.crt').split(/(?<=-----END CERTIFICATE-----\n)/)[0]!;
      expect(await rotate(second!, 'begin')).toBe('the next CA is trusted besides the present one\n');
      await allWell();
      copyFileSync(join(first!.directory, 'kubeconfig'), old);

      const followed = async (machine: Machine, step: string): Promise<string> => {
        let answer = '';
        await until(
          `${step} is taken on ${machine.name}`,
          async () => !(answer = await rotate(machine, step)).startsWith('refused'),
          { limitMs: 120_000, intervalMs: 3000, details: () => answer },
        );
        return answer;
      };
      expect(await followed(first!, 'switch')).toContain(`do the same on ${second!.address}`);
      await allWell();
      expect(await followed(second!, 'switch')).toMatch(/^the next CA signs now/);
      await allWell();
      // With the CA and the certificate of before, as far as the bundle goes.
      const asBefore = (): Promise<string> => worker!.runAsync('kubectl', '--kubeconfig', old, 'get', 'nodes');
      expect(await asBefore()).toContain('worker');

      expect(await followed(first!, 'finish')).toContain(`do the same on ${second!.address}`);
      expect(await followed(second!, 'finish')).toBe('the CA of before is trusted no more\n');
      await allWell();
      await expect(asBefore()).rejects.toThrow(/system:anonymous|Unauthorized/);
      for (const name of ['ca.crt', 'front-proxy-ca.crt', 'etcd/ca.crt'])
        expect(pem(first!, name)).toBe(pem(second!, name));
      expect(pem(first!, 'ca.crt')).not.toContain(oldCa);
      await until('the worker trusts the new CA alone', () => pem(worker!, 'ca.crt') === pem(first!, 'ca.crt'), {
        limitMs: 60_000,
        intervalMs: 500,
      });
      expect(await kubectl('get', 'configmap', 'kube-root-ca.crt', '-o', 'jsonpath={.data.ca\\.crt}')).toBe(
        pem(first!, 'ca.crt'),
      );
      await expect(kubectl('get', 'secret', '-n', 'kube-system', 'k8ts-next-authorities')).rejects.toThrow('NotFound');
    }, 900_000);

    it('has a line for further machines', async () => {
      const fourth = machines.add('fourth');
      await fourth.start([...(await line()), '--data-dir', fourth.directory, '--node-name', 'fourth']);
      expect(await kubectl('get', 'nodes', '-o', 'name')).toContain('node/fourth');
      await allWell();
    }, 120_000);
  },
);
