import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, loadKubeconfig, type Client } from '../src/client/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { connectIn, listenIn, runIn } from '../src/net/netns/index.ts';
import { TestNamespaces } from '../src/net/netns/testing/index.ts';
import { startK8ts, type K8tsProcess } from './k8ts-process.ts';
import { everything, requires } from './requires.ts';

const missing = requires('root', 'ip', 'nft', 'iptables', 'iptables-restore');

describe.skipIf(missing !== undefined)(
  `kube-proxy after kill -9${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const ctx = createContext({ writeLog: () => {} });
    let cluster: K8tsProcess;
    let client: Client;

    beforeAll(async () => {
      cluster = await startK8ts({ flags: ['--controllers', 'none'] });
      client = connect(ctx, await loadKubeconfig({ file: cluster.kubeconfig, clock: ctx.clock }), {
        userAgent: 'test',
      });
      const node = await client.resource('v1/nodes').create({ metadata: { name: 'n1' } });
      await client
        .resource('v1/nodes')
        .updateStatus({ ...node, status: { addresses: [{ type: 'InternalIP', address: '10.244.0.1' }] } });
    });
    afterAll(async () => {
      await client?.close();
      await cluster?.stop();
    });

    test.each(everything ? ['nftables', 'iptables'] : ['nftables'])(
      'in %s mode: traffic flows without it, stale rules are repaired on start, and other rules are not touched',
      async (mode) => {
        const namespaces = new TestNamespaces();
        const netns = namespaces.create('node');
        const servers: net.Server[] = [];
        let proxy: ChildProcess | undefined;
        const start = async (): Promise<void> => {
          proxy = spawn(
            process.execPath,
            [
              '--import',
              'tsx',
              path.join(import.meta.dirname, 'kube-proxy-crash-worker.ts'),
              cluster.kubeconfig,
              netns,
              mode,
            ],
            { stdio: ['ignore', 'pipe', 'inherit'] },
          );
          await once(proxy.stdout!, 'data');
        };
        const kill = async (): Promise<void> => {
          proxy?.kill('SIGKILL');
          if (proxy?.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit');
        };
        const ask = (host: string): Promise<string> =>
          new Promise((resolve) => {
            const socket = connectIn({ netns, host, port: 80, signal: AbortSignal.timeout(30_000) });
            socket.on('data', (bytes: Buffer) => resolve(bytes.toString()));
            socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
            socket.on('close', () => resolve('closed'));
          });
        const expose = async (name: string) => {
          const { spec } = await client.resource('v1/services').create({
            metadata: { name: `${mode}-${name}`, namespace: 'default' },
            spec: { ports: [{ port: 80, targetPort: 8080 }] },
          });
          const lead = async (address: string): Promise<void> => {
            await client.resource('discovery.k8s.io/v1/endpointslices').apply(
              {
                apiVersion: 'discovery.k8s.io/v1',
                kind: 'EndpointSlice',
                metadata: {
                  name: `${mode}-${name}`,
                  namespace: 'default',
                  labels: { 'kubernetes.io/service-name': `${mode}-${name}` },
                },
                addressType: 'IPv4',
                ports: [{ name: '', port: 8080, protocol: 'TCP' }],
                endpoints: [{ addresses: [address], conditions: { ready: true } }],
              },
              { fieldManager: 'test', force: true },
            );
          };
          return { clusterIP: spec!.clusterIP!, lead };
        };
        try {
          for (const command of [
            'link set lo up',
            'addr add 10.244.0.1/32 dev lo',
            'addr add 10.244.0.2/32 dev lo',
            'route add 10.96.0.0/12 dev lo',
          ])
            await runIn('ip', command.split(' '), { netns });
          for (const [host, name] of [
            ['10.244.0.1', 'a'],
            ['10.244.0.2', 'b'],
          ] as const) {
            const server = net.createServer((socket) => socket.on('error', () => {}).end(name));
            await listenIn(server, { netns, host, port: 8080 });
            servers.push(server);
          }
          await runIn('nft', ['-f', '-'], {
            netns,
            input:
              'table inet theirs {\n\tset s {\n\t\ttype ipv4_addr\n\t\telements = { 192.0.2.1 }\n\t}\n\tchain c {\n\t\ttype filter hook input priority 5; policy accept;\n\t\tip saddr @s drop\n\t}\n}\n',
          });
          await runIn('iptables', ['-t', 'nat', '-N', 'THEIRS'], { netns });
          await runIn('iptables', ['-t', 'nat', '-A', 'OUTPUT', '-d', '192.0.2.7', '-j', 'THEIRS'], { netns });
          const theirs = async (): Promise<string> =>
            (await runIn('nft', ['list', 'table', 'inet', 'theirs'], { netns })) +
            (await runIn('iptables', ['-t', 'nat', '-S', 'OUTPUT'], { netns }))
              .split('\n')
              .filter((line) => line.includes('THEIRS'))
              .join('\n');
          const before = await theirs();
          const [web, old] = [await expose('web'), await expose('old')];
          for (const { lead } of [web, old]) await lead('10.244.0.1');
          await start();
          await expect.poll(() => Promise.all([ask(web.clusterIP), ask(old.clusterIP)])).toEqual(['a', 'a']);

          await kill();
          await web.lead('10.244.0.2');
          await client.resource('v1/services').delete({ name: `${mode}-old`, namespace: 'default' });
          expect(new Set(await Promise.all(Array.from({ length: 20 }, () => ask(web.clusterIP))))).toEqual(
            new Set(['a']),
          );

          const answers = new Set<string>();
          let asking = true;
          const load = (async () => {
            while (asking) {
              answers.add(await ask(web.clusterIP));
              await ctx.clock.sleep(5);
            }
          })();
          await start();
          await expect.poll(() => ask(web.clusterIP)).toBe('b');
          asking = false;
          await load;
          expect([...answers].toSorted().join()).toMatch(/^(a,)?b$/);
          expect(await ask(old.clusterIP)).not.toMatch(/^[ab]$/);
          expect(await theirs()).toBe(before);
        } finally {
          await kill();
          for (const server of servers) server.close();
          namespaces.close();
        }
      },
    );
  },
);
