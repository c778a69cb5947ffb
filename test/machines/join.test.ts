/** A server and two machines that join it, from nothing to a Service that is answered everywhere, and back. */
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../src/api/generated/core-v1.ts';
import { chooseSpeaker } from '../../src/cluster/load-balancer-speaker/choose-speaker.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { connectIn } from '../../src/net/netns/index.ts';
import { everything, quietMachine, requires } from '../requires.ts';
import { busyboxImage, dockerArchive, webImage } from '../test-images.ts';
import { containerOf, kubectlOn, untilPodsReady } from './kubectl.ts';
import { Machines, runIn, type Machine, type MachineProcess } from './machines.ts';

const missing = everything ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox', 'kubectl') : 'long form';
/** For a machine that has k8ts and its programs. */
const READY_SECONDS = 3;
const SOON = { limitMs: 60_000, intervalMs: 200 };

describe.skipIf(missing !== undefined)(
  `a server and two machines${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let machines: Machines;
    let server: Machine;
    let joined: Machine[];
    const processes = new Map<string, MachineProcess>();
    let token: { token: string; command: string };
    const everyone = (): Machine[] => [server, ...joined];

    beforeAll(async () => {
      machines = new Machines();
      const archive = join(machines.scratch, 'images.tar');
      writeFileSync(archive, dockerArchive(busyboxImage(), webImage()));
      server = machines.add('server');
      joined = ['a', 'b'].map((name) => machines.add(name));
      const flags = ['--bind-address', server.address, '--data-dir', server.directory, '--node-name', server.name];
      processes.set(
        'server',
        await server.start(['up', ...flags, ...['--console=false', '--load-balancer-pool', '10.99.0.200/29']]),
      );
      await server.k8ts(['image', 'load', archive, '--data-dir', server.directory]);
      token = JSON.parse(
        await server.k8ts(['token', 'create', '--data-dir', server.directory, '-o', 'json']),
      ) as typeof token;
      for (const machine of joined)
        processes.set(machine.name, await machine.start([...joinFlags(machine), '--load-archive', archive]));
    }, 400_000);
    afterAll(() => machines.remove(), 60_000);

    const joinFlags = (machine: Machine): string[] => [
      ...token.command.split(' ').slice(1),
      ...['--data-dir', machine.directory, '--node-name', machine.name, '--node-ip', machine.address],
    ];
    const { kubectl, apply, podsOf } = kubectlOn(
      () => machines,
      () => server,
    );
    const running = (selector: string, count: number): Promise<Pod[]> =>
      untilPodsReady(selector, count, () => podsOf(selector));
    /** One request from a namespace; the answering pod's name, or what went wrong. */
    const ask = (netns: string, host: string, port: number, timeoutMs = 10_000): Promise<string> =>
      new Promise((resolve) => {
        const socket = connectIn({ netns, host, port, signal: AbortSignal.timeout(timeoutMs) });
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        const request = http.get({ path: '/cgi-bin/hostname', createConnection: () => socket }, (response) => {
          let text = '';
          response.on('data', (bytes: Buffer) => (text += bytes.toString()));
          response.on('end', () => resolve(text.trim()));
        });
        request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      });
    /** Who answers. Endpoints are chosen by chance: of 30 calls, one of six pods gets none in every fortieth try. */
    const answers = async (netns: string, host: string, port: number): Promise<string[]> => {
      const calls = Array.from({ length: 100 }, () => ask(netns, host, port));
      return [...new Set(await Promise.all(calls))].toSorted((x, y) => x.localeCompare(y));
    };
    const wget = (pod: string, url: string): Promise<string> =>
      kubectl('exec', pod, '--', 'timeout', '3', 'wget', '-qO-', url).then(
        (text) => text.trim(),
        (error: unknown) => `refused: ${String(error)}`,
      );
    const sleeper = (name: string, node: string, more: object = {}) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { app: 'sleeper', ...more } },
      spec: {
        nodeName: node,
        terminationGracePeriodSeconds: 0,
        containers: [containerOf('busybox', `echo "I am ${name}"; sleep 100000`)],
      },
    });

    it('are Ready nodes, with certificates of their own', async () => {
      const nodes = await kubectl(
        'get',
        'nodes',
        '-o',
        'jsonpath={range .items[*]}{.metadata.name} {.status.addresses[?(@.type=="InternalIP")].address} {.spec.podCIDR}{"\\n"}{end}',
      );
      expect(nodes.trim().split('\n')).toEqual(
        [...joined, server].map(
          ({ name, address }) => expect.stringMatching(`^${name} ${address} 10\\.244\\.\\d\\.0/24$`) as string,
        ),
      );
      const requests = await kubectl(
        'get',
        'csr',
        '-o',
        'jsonpath={range .items[*]}{.spec.username} {.spec.signerName} {.status.conditions[0].type}{"\\n"}{end}',
      );
      for (const { name } of joined)
        expect(requests).toContain(`system:node:${name} kubernetes.io/kubelet-serving Approved`);
      expect(requests).toMatch(/system:bootstrap:\w{6} kubernetes\.io\/kube-apiserver-client-kubelet Approved/);
      console.log(
        `Ready after ${[...processes].map(([name, { readySeconds, processorSeconds }]) => `${name} ${readySeconds} s (${processorSeconds} s of a processor)`).join(', ')}`,
      );
      if (quietMachine)
        for (const { name } of joined) expect(processes.get(name)!.readySeconds, name).toBeLessThan(READY_SECONDS);
    });

    it('answer a Service at its address and on every machine’s node port, by pods of all machines', async () => {
      await apply(
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'web' },
          spec: {
            replicas: 6,
            selector: { matchLabels: { app: 'web' } },
            template: {
              metadata: { labels: { app: 'web' } },
              spec: {
                terminationGracePeriodSeconds: 0,
                topologySpreadConstraints: [
                  {
                    maxSkew: 1,
                    topologyKey: 'kubernetes.io/hostname',
                    whenUnsatisfiable: 'DoNotSchedule',
                    labelSelector: { matchLabels: { app: 'web' } },
                  },
                ],
                containers: [{ ...containerOf('www'), readinessProbe: { httpGet: { path: '/', port: 8080 } } }],
              },
            },
          },
        },
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'web' },
          spec: {
            type: 'NodePort',
            clusterIP: '10.96.0.80',
            selector: { app: 'web' },
            ports: [{ port: 80, targetPort: 8080, nodePort: 30_080 }],
          },
        },
        ...everyone().map(({ name }) => sleeper(`on-${name}`, name)),
      );
      const pods = await running('app=web', 6);
      await running('app=sleeper', 3);
      expect(new Set(pods.map(({ spec }) => spec?.nodeName))).toEqual(new Set(everyone().map(({ name }) => name)));
      const names = pods.map(({ metadata }) => metadata.name!).toSorted((x, y) => x.localeCompare(y));
      for (const machine of everyone()) {
        expect(await answers(machine.netns, '10.96.0.80', 80), `from ${machine.name}`).toEqual(names);
        expect(await answers(machines.outside, machine.address, 30_080), `node port of ${machine.name}`).toEqual(names);
      }
    }, 240_000);

    it('resolve names, and reach Services and pods of other machines, from pods of every machine', async () => {
      const pods = await podsOf('app=web');
      for (const { name } of everyone()) {
        expect(await wget(`on-${name}`, 'http://web.default.svc.cluster.local/cgi-bin/hostname')).toMatch(/^web-/);
        const elsewhere = pods.filter(({ spec }) => spec?.nodeName !== name);
        for (const { metadata, status } of elsewhere.slice(0, 2))
          expect(await wget(`on-${name}`, `http://${status?.podIP}:8080/cgi-bin/hostname`)).toBe(metadata.name);
      }
    }, 120_000);

    it('serve logs, exec and port-forward of pods on other machines through the server', async () => {
      expect(await kubectl('logs', 'on-a')).toBe('I am on-a\n');
      expect(await kubectl('exec', 'on-b', '--', 'hostname')).toBe('on-b\n');
      const pod = (await podsOf('app=web')).find(({ spec }) => spec?.nodeName === 'b')!.metadata.name!;
      const script = `kubectl --kubeconfig ${join(server.directory, 'kubeconfig')} port-forward pod/${pod} 18080:8080 >/dev/null & p=$!; for i in $(seq 100); do busybox wget -q -O - http://127.0.0.1:18080/cgi-bin/hostname && break; sleep 0.2; done; kill $p`;
      expect((await server.runAsync('sh', '-c', script)).trim()).toBe(pod);
    }, 60_000);

    it('enforce NetworkPolicies between machines', async () => {
      const target = (await podsOf('app=web')).find(({ spec }) => spec?.nodeName === 'b')!.status!.podIP!;
      const url = `http://${target}:8080/cgi-bin/hostname`;
      await kubectl('label', 'pod', 'on-a', 'role=friend');
      await apply({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'friends' },
        spec: {
          podSelector: { matchLabels: { app: 'web' } },
          ingress: [{ from: [{ podSelector: { matchLabels: { role: 'friend' } } }] }],
        },
      });
      await until('strangers are refused', async () => (await wget('on-server', url)).startsWith('refused'), SOON);
      expect(await wget('on-a', url)).toMatch(/^web-/);
      await kubectl('delete', 'networkpolicy', 'friends');
      await until('everyone is let in', async () => !(await wget('on-server', url)).startsWith('refused'), SOON);
    }, 120_000);

    it('serve a host port on the machine of its pod alone', async () => {
      const pod = sleeper('host-port', 'b', { app: 'host-port' });
      const containers = [{ ...containerOf('www'), ports: [{ containerPort: 8080, hostPort: 8088 }] }];
      await apply({ ...pod, spec: { ...pod.spec, containers } });
      await running('app=host-port', 1);
      const [a, b] = joined as [Machine, Machine];
      expect(await ask(machines.outside, b.address, 8088)).toBe('host-port');
      expect(await ask(machines.outside, a.address, 8088)).toBe('ECONNREFUSED');
    }, 120_000);

    it('put routes back that somebody deleted', async () => {
      const [a, b] = joined as [Machine, Machine];
      const route = (): string =>
        a
          .run('ip', 'route', 'show', 'proto', '84')
          .split('\n')
          .find((line) => line.includes(b.address)) ?? '';
      const range = route().split(' ')[0]!;
      a.run('ip', 'route', 'del', range);
      expect(route()).toBe('');
      await until('the route is back', () => route().startsWith(range), SOON);
    });

    it('give a token and a machine no more than they need', async () => {
      const as = (...args: string[]): Promise<string> =>
        joined[0]!
          .runAsync(
            'kubectl',
            '--server',
            `https://${server.address}:6443`,
            '--insecure-skip-tls-verify',
            '--token',
            token.token,
            ...args,
          )
          .catch((error: unknown) => String(error));
      expect(await as('get', 'secrets', '-A')).toContain('Forbidden');
      expect(await as('get', 'nodes')).toContain('Forbidden');
      expect(await as('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.groups}')).toContain(
        'system:bootstrappers:k8ts:default-node-token',
      );
      const asNode = (...args: string[]): Promise<string> =>
        joined[0]!
          .runAsync('kubectl', '--kubeconfig', join(joined[0]!.directory, 'kubelet.kubeconfig'), ...args)
          .catch((error: unknown) => String(error));
      expect(
        await asNode('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username} {.status.userInfo.groups}'),
      ).toBe('system:node:a ["system:nodes","system:authenticated"]');
      expect(await asNode('get', 'secrets', '-A')).toContain('Forbidden');
      expect(await asNode('delete', 'node', 'b')).toContain('is not allowed to modify node');
      expect(await asNode('create', 'configmap', 'x')).toContain('orbidden');
    }, 60_000);

    it('refuse a server with another CA, and a token that is not the cluster’s', async () => {
      const refuse = (flags: readonly string[]): Promise<string> =>
        joined[0]!
          .k8ts(['join', `https://${server.address}:6443`, '--data-dir', join(machines.scratch, 'none'), ...flags])
          .catch((error: unknown) => String(error));
      expect(await refuse(['--token', token.token, '--ca-hash', `sha256:${'0'.repeat(64)}`])).toContain(
        'this is another cluster',
      );
      expect(await refuse(['--token', 'aaaaaa.aaaaaaaaaaaaaaaa'])).toContain('does not know the token aaaaaa');
      expect(await refuse(['--token', `${token.token.slice(0, 7)}aaaaaaaaaaaaaaaa`])).toContain(
        'is not signed with the token',
      );
    }, 60_000);

    it('restart no container when the process of a machine is killed and started again, without a token', async () => {
      const [a] = joined as [Machine];
      const containers = async (): Promise<string> =>
        kubectl(
          'get',
          'pods',
          '--field-selector',
          'spec.nodeName=a',
          '-o',
          'jsonpath={range .items[*]}{.metadata.name} {.status.containerStatuses[0].containerID} {.status.containerStatuses[0].restartCount}{"\\n"}{end}',
        );
      const before = await containers();
      await processes.get('a')!.stop('SIGKILL');
      processes.set('a', await a.start(['join', '--data-dir', a.directory]));
      expect(await kubectl('exec', 'on-a', '--', 'hostname')).toBe('on-a\n');
      expect(await containers()).toBe(before);
    }, 120_000);

    it('move the address of a load balancer when its speaker is frozen, killed or cut off', async () => {
      const [a] = joined as [Machine];
      const names = everyone().map(({ name }) => name);
      const address = [201, 202, 203, 204, 205, 206]
        .map((last) => `10.99.0.${last}`)
        .find((each) => chooseSpeaker(each, names) === 'a')!;
      const pod = sleeper('balanced', 'server', { app: 'balanced' });
      await apply(
        { ...pod, spec: { ...pod.spec, containers: [containerOf('www')] } },
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'balanced' },
          spec: {
            type: 'LoadBalancer',
            loadBalancerIP: address,
            selector: { app: 'balanced' },
            ports: [{ port: 80, targetPort: 8080 }],
          },
        },
      );
      await running('app=balanced', 1);
      const speaker = (): string | undefined => {
        const mac = /lladdr (\S+)/.exec(runIn(machines.outside, 'ip', 'neigh', 'show', address))?.[1];
        return everyone().find((machine) => machine.run('ip', 'link', 'show', 'eth0').includes(mac ?? 'none'))?.name;
      };
      const answered = async (): Promise<boolean> => (await ask(machines.outside, address, 80, 400)) === 'balanced';
      const spoken = async (): Promise<void> =>
        until('the first machine speaks', async () => (await answered()) && speaker() === 'a', SOON);
      await spoken();
      const kill = async (): Promise<void> => processes.get('a')!.stop('SIGKILL');
      const accidents: [string, () => unknown, () => unknown][] = [
        ['frozen', () => processes.get('a')!.kill('SIGSTOP'), () => processes.get('a')!.kill('SIGCONT')],
        ['cut off', () => a.cut(), () => a.mend()],
        ['killed', kill, async () => processes.set('a', await a.start(['join', '--data-dir', a.directory]))],
      ];
      for (const [name, happen, mend] of accidents) {
        await happen();
        const since = performance.now();
        await until('another machine answers', async () => (await answered()) && speaker() !== 'a', SOON);
        const seconds = (performance.now() - since) / 1000;
        console.log(`${name}: the address answers again after ${seconds.toFixed(2)} s`);
        expect(seconds, name).toBeLessThan(3);
        await mend();
        await spoken();
      }
    }, 240_000);

    it('leave the cluster, and the machine as it was', async () => {
      const [, b] = joined as [Machine, Machine];
      const fresh = machines.add('fresh');
      const stateOf = (machine: Machine): object => ({
        links: machine.run('ip', '-br', 'link').replace(/@if\d+|([0-9a-f]{2}:){5}[0-9a-f]{2}/g, ''),
        routes: machine.run('ip', 'route').replaceAll(machine.address, 'SELF'),
        tables: machine.run('nft', 'list', 'tables'),
        forwarding: machine.run('sysctl', '-n', 'net.ipv4.ip_forward'),
        mounts: machine.run('sh', '-c', `grep -c " ${machine.directory}/" /proc/self/mountinfo || true`),
        processes: machine.run('sh', '-c', `pgrep -fc '${machine.directory}/[n]ode' || true`),
      });
      const output = await b.k8ts(['leave', '--data-dir', b.directory, '--delete-data', '--drain-timeout', '30s']);
      expect(output).toContain('the node b has left');
      expect(processes.get('b')!.exited).toBe(true);
      expect(stateOf(b)).toEqual(stateOf(fresh));
      expect((await kubectl('get', 'nodes', '-o', 'name')).trim().split('\n').sort()).toEqual([
        'node/a',
        'node/server',
      ]);
      expect((await podsOf('app=web')).every(({ spec }) => spec?.nodeName !== 'b')).toBe(true);
    }, 120_000);
  },
);
