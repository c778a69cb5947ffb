/** Machines on two links with a router between them: the pod network is VXLAN, in both families. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../src/api/generated/core-v1.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { everything, requires } from '../requires.ts';
import { busyboxImage, dockerArchive } from '../test-images.ts';
import { containerOf, kubectlOn } from './kubectl.ts';
import { Machines, type Machine } from './machines.ts';

const missing = everything ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox', 'kubectl') : 'long form';
const MTU = 1450;
const IPV4_AND_ICMP = 28;

describe.skipIf(missing !== undefined)(`machines on two links${missing === undefined ? '' : ` (${missing})`}`, () => {
  let machines: Machines;
  let server: Machine;
  let far: Machine;
  const addresses = new Map<string, { v4: string; v6: string }>();

  beforeAll(async () => {
    machines = new Machines({ links: 2, dualStack: true });
    const archive = join(machines.scratch, 'images.tar');
    writeFileSync(archive, dockerArchive(busyboxImage()));
    server = machines.add('server');
    far = machines.add('far', { link: 1 });
    const ranges = [
      '--cluster-cidr',
      '10.244.0.0/16,fd44::/56',
      '--service-cluster-ip-range',
      '10.96.0.0/16,fd96::/112',
    ];
    const flags = [
      '--bind-address',
      server.address,
      '--data-dir',
      server.directory,
      '--node-name',
      'server',
      ...ranges,
    ];
    await server.start(['up', ...flags, '--console=false']);
    await server.k8ts(['image', 'load', archive, '--data-dir', server.directory]);
    const line = await server.k8ts(['token', 'create', '--data-dir', server.directory]);
    const place = ['--data-dir', far.directory, '--node-name', 'far', '--load-archive', archive];
    await far.start([...line.trim().split(' ').slice(1), ...place]);
    for (const node of ['server', 'far']) await startPod(node);
  }, 400_000);
  afterAll(() => machines.remove(), 60_000);

  const { kubectl, apply } = kubectlOn(
    () => machines,
    () => server,
  );
  const inPod = (node: string, command: string): Promise<string> =>
    kubectl('exec', `on-${node}`, '--', 'sh', '-c', command);

  async function startPod(node: string): Promise<void> {
    const command = 'mkdir /tmp/www; dd if=/dev/urandom of=/tmp/www/big bs=1024 count=64; httpd -f -p 8080 -h /tmp/www';
    const spec = {
      nodeName: node,
      terminationGracePeriodSeconds: 0,
      containers: [containerOf('busybox', command)],
    };
    await apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `on-${node}` }, spec });
    let pod: Pod | undefined;
    await until(
      'the pod runs',
      async () => {
        pod = JSON.parse(await kubectl('get', 'pod', `on-${node}`, '-o', 'json')) as Pod;
        return pod.status?.phase === 'Running';
      },
      { limitMs: 120_000, intervalMs: 200, details: () => JSON.stringify(pod?.status) },
    );
    const [v4 = '', v6 = ''] = (pod?.status?.podIPs ?? []).map(({ ip }) => ip);
    addresses.set(node, { v4, v6 });
  }

  it('send pods’ packets through VXLAN', async () => {
    expect(far.run('ip', '-d', 'link', 'show', 'k8ts.vx')).toMatch(
      /mtu 1450 .*vxlan id \d+ local 10\.99\.1\.2 .*dstport 8472 nolearning/s,
    );
    expect(far.run('ip', 'route', 'show', 'dev', 'k8ts.vx')).toMatch(
      /^10\.244\.0\.0\/24 via 10\.244\.0\.0 proto 84 onlink/,
    );
    expect(far.run('ip', '-6', 'route', 'show', 'dev', 'k8ts.vx')).toContain('fd44::/64 via fd44:: proto 84');
  });

  it.each(['v4', 'v6'] as const)(
    'carry 64 KB between pods of two links, by %s',
    async (family) => {
      for (const [from, to] of [
        ['server', 'far'],
        ['far', 'server'],
      ] as const) {
        const address = addresses.get(to)![family];
        const url = `http://${family === 'v6' ? `[${address}]` : address}:8080/big`;
        const [own] = (await inPod(to, 'md5sum /tmp/www/big')).split(' ');
        expect(await inPod(from, `timeout 10 wget -qO- ${url} | md5sum`)).toContain(own);
      }
    },
    120_000,
  );

  it('carry packets of the full size without fragments, and tell pods the size', async () => {
    const fragments = (machine: Machine): string => {
      const [names = [], values = []] = machine
        .run('grep', '^Ip:', '/proc/net/snmp')
        .split('\n')
        .map((line) => line.split(' '));
      return values[names.indexOf('FragCreates')]!;
    };
    const before = [fragments(server), fragments(far)];
    expect((await inPod('far', 'cat /sys/class/net/eth0/mtu')).trim()).toBe(String(MTU));
    const ping = `ping -c 2 -W 5 -s ${MTU - IPV4_AND_ICMP} ${addresses.get('server')!.v4}`;
    expect(await inPod('far', ping)).toContain('2 packets received');
    expect([fragments(server), fragments(far)]).toEqual(before);
  }, 60_000);

  it('answer a dual-stack Service from the other link', async () => {
    await kubectl('label', 'pod', 'on-server', 'app=big');
    const spec = {
      ipFamilyPolicy: 'RequireDualStack',
      selector: { app: 'big' },
      ports: [{ port: 80, targetPort: 8080 }],
    };
    await apply({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'big' }, spec });
    const ips = JSON.parse(await kubectl('get', 'service', 'big', '-o', 'jsonpath={.spec.clusterIPs}')) as string[];
    expect(ips).toHaveLength(2);
    for (const ip of ips) {
      const url = `http://${ip.includes(':') ? `[${ip}]` : ip}/big`;
      await until(
        'the Service answers',
        async () => (await inPod('far', `timeout 5 wget -qO- ${url} | wc -c`).catch(() => '')).trim() === '65536',
        { limitMs: 30_000, intervalMs: 300 },
      );
    }
  }, 90_000);
});
