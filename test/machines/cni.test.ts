/** A server that is no node itself, and a machine whose pods the user's own CNI configuration connects. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../src/kernel/testing/index.ts';
import { everything, requires } from '../requires.ts';
import { busyboxImage, dockerArchive } from '../test-images.ts';
import { kubectlOn } from './kubectl.ts';
import { Machines, type Machine } from './machines.ts';

const PLUGINS = '/usr/lib/cni';
const programs = requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox', 'kubectl');
const missing = !everything
  ? 'long form'
  : (programs ?? (existsSync(join(PLUGINS, 'bridge')) ? undefined : 'needs containernetworking-plugins'));

describe.skipIf(missing !== undefined)(
  `a machine with its own CNI plugins${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let machines: Machines;
    let server: Machine;
    let own: Machine;
    let line: string[];

    beforeAll(async () => {
      machines = new Machines();
      const archive = join(machines.scratch, 'images.tar');
      writeFileSync(archive, dockerArchive(busyboxImage()));
      const conf = join(machines.scratch, 'net.d');
      mkdirSync(conf);
      const ipam = { type: 'host-local', dataDir: join(machines.scratch, 'ipam'), subnet: '10.77.0.0/24' };
      const plugin = { cniVersion: '0.4.0', name: 'own', type: 'bridge', bridge: 'own0', isGateway: true, ipam };
      writeFileSync(join(conf, '10-own.conf'), JSON.stringify(plugin));
      server = machines.add('server');
      own = machines.add('own');
      const flags = ['--bind-address', server.address, '--data-dir', server.directory, '--nodes', '0'];
      await server.start(['up', ...flags, '--console=false']);
      const command = await server.k8ts(['token', 'create', '--data-dir', server.directory]);
      line = [...command.trim().split(' ').slice(1), '--data-dir', own.directory, '--node-name', 'own'];
      await own.start([...line, '--cni-conf-dir', conf, '--cni-bin-dir', PLUGINS, '--load-archive', archive]);
    }, 400_000);
    afterAll(() => machines.remove(), 60_000);

    const { kubectl } = kubectlOn(
      () => machines,
      () => server,
    );

    it('connects pods by them, and makes no routes', async () => {
      const run = ['--image=docker.io/library/busybox:test', '--image-pull-policy=Never', '--command', '--'];
      await kubectl('run', 'pod', ...run, 'sleep', '100000');
      const address = (): Promise<string> => kubectl('get', 'pod', 'pod', '-o', 'jsonpath={.status.podIP}');
      await until('the pod has an address', async () => (await address()) !== '', { limitMs: 60_000, intervalMs: 200 });
      expect(await address()).toMatch(/^10\.77\.0\.\d+$/);
      expect(await kubectl('exec', 'pod', '--', 'hostname')).toBe('pod\n');
      expect(own.run('ip', '-br', 'link')).not.toContain('k8ts');
      expect(own.run('ip', 'route', 'show', 'proto', '84')).toBe('');
    }, 120_000);

    it.skipIf(existsSync('/sys/module/wireguard'))(
      'refuses --encrypt where the kernel has no WireGuard',
      async () => {
        const elsewhere = join(machines.scratch, 'elsewhere');
        const flags = line.map((word) => (word === own.directory ? elsewhere : word));
        await expect(own.k8ts([...flags, '--encrypt'])).rejects.toThrow('no WireGuard (CONFIG_WIREGUARD)');
      },
      60_000,
    );

    it('leaves no container and no interface of a pod', async () => {
      await own.k8ts(['leave', '--data-dir', own.directory, '--force', '--drain-timeout', '5s']);
      expect(own.run('ip', '-br', 'link')).not.toContain('veth');
      expect(await kubectl('get', 'nodes', '-o', 'name')).toBe('');
    }, 120_000);
  },
);
