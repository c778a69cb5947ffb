import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AddressRange } from '../src/base/index.ts';
import type { Client } from '../src/client/index.ts';
import { startCluster, type Cluster } from '../src/cluster/index.ts';
import { loadImage } from '../src/cluster/node-fleet/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { connectIn } from '../src/net/netns/index.ts';
import { requires } from './requires.ts';
import { busyboxImage, dockerArchive, webImage } from './test-images.ts';

const missing = requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox');

describe.skipIf(missing !== undefined)(
  `a cluster of three nodes with both address families${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'dual-stack-'));
    const stop = new AbortController();
    const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
    let cluster: Cluster;
    let client: Client;

    beforeAll(async () => {
      cluster = await startCluster(ctx, {
        dataDirectory: join(directory, 'data'),
        bindAddress: '127.0.0.1',
        port: 0,
        serviceClusterIpRange: '10.99.0.0/16,fd99:99::/112',
        clusterCidr: '10.247.0.0/16,fd99:47::/56',
        controllers: ['*'],
        addons: ['dns'],
        nodes: 3,
      });
      client = cluster.clientAs({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }, 'test');
      const archive = join(directory, 'images.tar');
      writeFileSync(archive, dockerArchive(busyboxImage(), webImage()));
      await loadImage(cluster.fleet!, archive);
    });
    afterAll(async () => {
      stop.abort(new Error('the test has ended'));
      await cluster?.finished.catch(() => undefined);
      rmSync(directory, { recursive: true, force: true });
    });

    const ask = (host: string, port: number, netns?: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = connectIn({ netns, host, port, signal: AbortSignal.timeout(30_000) });
        let text = '';
        socket.on('connect', () => socket.write('GET /cgi-bin/hostname HTTP/1.0\r\n\r\n'));
        socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        socket.on('close', () => resolve(text.trim().split(/\s+/).at(-1) ?? ''));
      });
    // Another cluster of this machine may have the ranges: then there are others, of the same families.
    const expectWithin = (addresses: readonly string[] | undefined, ranges: readonly string[]): void => {
      expect(ranges.map((range) => AddressRange.parse(range).family)).toEqual([4, 6]);
      expect(addresses?.map((address, i) => AddressRange.parse(ranges[i]!).contains(address))).toEqual([true, true]);
    };
    const answers = async (host: string, port: number, netns?: string): Promise<string[]> =>
      [...new Set(await Promise.all(Array.from({ length: 24 }, () => ask(host, port, netns))))].toSorted();

    it('pods, Services, node ports, load balancers and names have both families, and every pod answers at all of them', async () => {
      await client.resource('apps/v1/deployments').create({
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: {
              terminationGracePeriodSeconds: 1,
              containers: [
                {
                  name: 'www',
                  image: 'docker.io/library/www:test',
                  imagePullPolicy: 'Never',
                  ports: [{ name: 'http', containerPort: 8080 }],
                  readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 1, timeoutSeconds: 10 },
                },
              ],
            },
          },
        },
      });
      const { spec } = await client.resource('v1/services').create({
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          type: 'LoadBalancer',
          ipFamilyPolicy: 'RequireDualStack',
          selector: { app: 'web' },
          ports: [{ name: 'http', port: 80, targetPort: 'http' }],
        },
      });
      expectWithin(spec!.clusterIPs, cluster.fleet!.fabric.ranges.services);
      await until(
        'all are ready',
        async () =>
          (await client.resource('apps/v1/deployments').get({ name: 'web', namespace: 'default' })).status
            ?.availableReplicas === 3,
      );
      const pods = (await client.resource('v1/pods').list({ namespace: 'default', labelSelector: 'app=web' })).items;
      const everyone = pods.map(({ metadata }) => metadata.name!).toSorted();
      for (const { status } of pods)
        expectWithin(
          status?.podIPs?.map(({ ip }) => ip),
          cluster.fleet!.fabric.ranges.pods,
        );
      const balancers = async (): Promise<string[]> =>
        (
          (await client.resource('v1/services').get({ name: 'web', namespace: 'default' })).status?.loadBalancer
            ?.ingress ?? []
        ).flatMap(({ ip }) => ip ?? []);
      await until('addresses of the load balancer', async () => (await balancers()).length === 2);
      const nodes = [...cluster.fleet!.fabric.nodes.values()];
      const { nodePort } = spec!.ports![0]!;
      for (const family of [0, 1]) {
        await until(`family ${family} is everywhere`, async () =>
          (await Promise.all(nodes.map(({ netnsPath }) => answers(spec!.clusterIPs![family]!, 80, netnsPath)))).every(
            (names) => names.join() === everyone.join(),
          ),
        );
        for (const { addresses } of nodes)
          await expect.poll(() => answers(addresses[family]!, nodePort!)).toEqual(everyone);
        const balancer = (await balancers())[family]!;
        await expect.poll(() => answers(balancer, 80)).toEqual(everyone);
        for (const { status, metadata } of pods)
          expect(await ask(status!.podIPs![family]!.ip, 8080, nodes[0]!.netnsPath)).toBe(metadata.name);
      }
    });

    it('a Pod finds both addresses by name', async () => {
      await client.resource('v1/pods').create({
        metadata: { name: 'client', namespace: 'default' },
        spec: {
          restartPolicy: 'Never',
          containers: [
            {
              name: 'c',
              image: 'docker.io/library/busybox:test',
              imagePullPolicy: 'Never',
              command: ['nslookup', 'web.default.svc.cluster.local'],
            },
          ],
        },
      });
      await until('it ends', async () =>
        ['Succeeded', 'Failed'].includes(
          (await client.resource('v1/pods').get({ name: 'client', namespace: 'default' })).status?.phase ?? '',
        ),
      );
      const pieces: Uint8Array[] = [];
      for await (const piece of await client
        .resource('v1/pods')
        .streamSubresource({ name: 'client', namespace: 'default' }, 'log'))
        pieces.push(piece);
      const { spec } = await client.resource('v1/services').get({ name: 'web', namespace: 'default' });
      for (const address of spec!.clusterIPs!) expect(Buffer.concat(pieces).toString()).toContain(address);
    });
  },
);
