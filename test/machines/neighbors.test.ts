/** A LoadBalancer Service with an IPv6 address: machines of the link find it by NDP, and it moves when its speaker dies. */
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseSpeaker } from '../../src/cluster/load-balancer-speaker/choose-speaker.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { connectIn } from '../../src/net/netns/index.ts';
import { everything, quietMachine, requires } from '../requires.ts';
import { dockerArchive, webImage } from '../test-images.ts';
import { containerOf, kubectlOn } from './kubectl.ts';
import { Machines, runIn, type Machine, type MachineProcess } from './machines.ts';

const missing = everything ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox', 'kubectl') : 'long form';
const SOON = { limitMs: 60_000, intervalMs: 200 };

describe.skipIf(missing !== undefined)(`IPv6 neighbors${missing === undefined ? '' : ` (${missing})`}`, () => {
  let machines: Machines;
  let server: Machine;
  let other: Machine;
  let joined: MachineProcess;
  let address: string;
  const { apply } = kubectlOn(
    () => machines,
    () => server,
  );

  beforeAll(async () => {
    machines = new Machines({ dualStack: true });
    server = machines.add('server');
    other = machines.add('other');
    const archive = join(machines.scratch, 'images.tar');
    writeFileSync(archive, dockerArchive(webImage()));
    await server.start([
      ...['up', '--bind-address', server.address, '--data-dir', server.directory, '--node-name', 'server'],
      ...['--cluster-cidr', '10.244.0.0/16,fd44::/56', '--service-cluster-ip-range', '10.96.0.0/16,fd96::/112'],
      ...['--console=false', '--load-balancer-pool', '10.99.0.200/29,fd99:0::200/125'],
    ]);
    await server.k8ts(['image', 'load', archive, '--data-dir', server.directory]);
    const { command } = JSON.parse(
      await server.k8ts(['token', 'create', '--data-dir', server.directory, '-o', 'json']),
    ) as { command: string };
    joined = await other.start([
      ...command.split(' ').slice(1),
      ...['--data-dir', other.directory, '--node-name', 'other', '--node-ip', `${other.address},${other.address6}`],
    ]);
    address = ['fd99::201', 'fd99::202', 'fd99::203', 'fd99::204', 'fd99::205'].find(
      (each) => chooseSpeaker(each, ['server', 'other']) === 'other',
    )!;
    const objects = [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'balanced', labels: { app: 'balanced' } },
        spec: {
          nodeName: 'server',
          containers: [containerOf('www')],
        },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'balanced' },
        spec: {
          type: 'LoadBalancer',
          ipFamilies: ['IPv6'],
          ipFamilyPolicy: 'SingleStack',
          loadBalancerIP: address,
          selector: { app: 'balanced' },
          ports: [{ port: 80, targetPort: 8080 }],
        },
      },
    ];
    await apply(...objects);
  }, 400_000);
  afterAll(() => machines.remove(), 60_000);

  const answered = (timeoutMs = 400): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connectIn({
        netns: machines.outside,
        host: address,
        port: 80,
        signal: AbortSignal.timeout(timeoutMs),
      });
      socket.on('error', () => resolve(false));
      http
        .get({ path: '/cgi-bin/hostname', createConnection: () => socket }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode === 200));
        })
        .on('error', () => resolve(false));
    });
  const speaker = (): string | undefined => {
    const mac = /lladdr (\S+)/.exec(runIn(machines.outside, 'ip', '-6', 'neigh', 'show', address))?.[1];
    return [server, other].find((machine) => machine.run('ip', 'link', 'show', 'eth0').includes(mac ?? 'none'))?.name;
  };

  it('find the speaker, and another one when it is frozen, cut off or killed', async () => {
    const spoken = (): Promise<void> =>
      until('its machine speaks', async () => (await answered(3000)) && speaker() === 'other', {
        ...SOON,
        limitMs: 120_000,
        details: () =>
          [
            runIn(machines.outside, 'ip', '-6', 'neigh', 'show', address),
            ...[server, other].map((machine) => machine.run('ip', '-6', 'addr', 'show', 'dev', 'eth0')),
            other.run('nft', 'list', 'ruleset', 'ip6'),
          ].join('\n'),
      });
    await spoken();
    expect(other.run('ip', '-6', 'addr', 'show', 'dev', 'eth0')).toContain(`${address}/128`);
    const accidents: [string, () => unknown, () => unknown][] = [
      ['frozen', () => joined.kill('SIGSTOP'), () => joined.kill('SIGCONT')],
      ['cut off', () => other.cut(), () => other.mend()],
      [
        'killed',
        () => joined.stop('SIGKILL'),
        async () => void (joined = await other.start(['join', '--data-dir', other.directory])),
      ],
    ];
    for (const [name, happen, mend] of accidents) {
      await happen();
      const since = performance.now();
      await until('another machine answers', async () => (await answered()) && speaker() === 'server', SOON);
      const seconds = (performance.now() - since) / 1000;
      console.log(`${name}: the IPv6 address answers again after ${seconds.toFixed(2)} s`);
      if (quietMachine) expect(seconds, name).toBeLessThan(3);
      await mend();
      await spoken();
    }
  }, 300_000);
});
