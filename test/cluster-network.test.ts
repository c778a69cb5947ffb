import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../src/client/index.ts';
import { startCluster, type Cluster } from '../src/cluster/index.ts';
import { loadImage } from '../src/cluster/node-fleet/index.ts';
import { encodeMessage, TYPE } from '../src/dns/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { connectIn, datagramIn } from '../src/net/netns/index.ts';
import { everything, requires } from './requires.ts';
import { busyboxImage, dockerArchive, webImage } from './test-images.ts';

const missing = requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox');
/** How soon a silent node counts as away: upstream's times in the long form. */
const nodeMonitoring = everything ? undefined : { periodSeconds: 0.5, gracePeriodSeconds: 10, leaseDurationSeconds: 4 };
const noticedWithinMs = everything ? 70_000 : 60_000;

/** Three nodes that run containers, on this machine: from a Deployment and a Service to answered requests, and what may happen then. */
describe.skipIf(missing !== undefined)(
  `a cluster of three nodes${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'cluster-network-'));
    const stop = new AbortController();
    const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
    let cluster: Cluster;
    let client: Client;

    beforeAll(async () => {
      cluster = await startCluster(ctx, {
        dataDirectory: join(directory, 'data'),
        bindAddress: '127.0.0.1',
        port: 0,
        serviceClusterIpRange: '10.97.0.0/16',
        clusterCidr: '10.245.0.0/16',
        controllers: ['*'],
        addons: ['dns', 'ingress'],
        ingressPorts: { httpPort: 0, httpsPort: 0 },
        nodes: 3,
        ...(nodeMonitoring ? { nodeMonitoring } : {}),
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

    /** One request from the host (undefined) or from a node's namespace; the answering Pod's name, or what went wrong. */
    const ask = (host: string, port: number, netns?: string, timeoutMs = 30_000): Promise<string> =>
      new Promise((resolve) => {
        const socket = connectIn({ netns, host, port, signal: AbortSignal.timeout(timeoutMs) });
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        const request = http.get({ path: '/cgi-bin/hostname', createConnection: () => socket }, (response) => {
          let text = '';
          response.on('data', (bytes: Buffer) => (text += bytes.toString()));
          response.on('end', () => resolve(text.trim()));
          response.on('error', (error) => resolve(error.message));
        });
        request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      });
    const answers = async (host: string, port: number, netns?: string): Promise<Set<string>> =>
      new Set(await Promise.all(Array.from({ length: 30 }, () => ask(host, port, netns))));
    const podNames = async (): Promise<Set<string>> =>
      new Set(
        (await client.resource('v1/pods').list({ namespace: 'default', labelSelector: 'app=web' })).items
          .filter(({ metadata }) => !metadata.deletionTimestamp)
          .map(({ metadata }) => metadata.name!),
      );
    const deployment = (replicas: number, version: string) => ({
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas,
        selector: { matchLabels: { app: 'web' } },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        template: {
          metadata: { labels: { app: 'web' }, annotations: { version } },
          spec: {
            terminationGracePeriodSeconds: 10,
            tolerations: ['not-ready', 'unreachable'].map((state) => ({
              key: `node.kubernetes.io/${state}`,
              operator: 'Exists',
              effect: 'NoExecute',
              tolerationSeconds: 1,
            })),
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: 'kubernetes.io/hostname',
                whenUnsatisfiable: 'ScheduleAnyway',
                labelSelector: { matchLabels: { app: 'web' } },
              },
            ],
            containers: [
              {
                name: 'www',
                image: 'docker.io/library/www:test',
                imagePullPolicy: 'Never',
                ports: [{ name: 'http', containerPort: 8080 }],
                readinessProbe: { httpGet: { path: '/', port: 'http' as const }, periodSeconds: 1, timeoutSeconds: 10 },
                // A busy machine needs time until no node sends requests to it any more.
                lifecycle: { preStop: { sleep: { seconds: 8 } } },
              },
            ],
          },
        },
      },
    });
    let addresses: { cluster: string; nodePort: number; balancer: string };

    it('a Deployment and a Service are answered by every Pod, at every address, from everywhere', async () => {
      await client.resource('apps/v1/deployments').create(deployment(3, 'one'));
      const { spec } = await client.resource('v1/services').create({
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          type: 'LoadBalancer',
          selector: { app: 'web' },
          ports: [{ name: 'http', port: 80, targetPort: 'http' }],
        },
      });
      const netns = [...cluster.fleet!.fabric.nodes.values()].map(({ netnsPath }) => netnsPath);
      await until('the first answer', async () => (await podNames()).has(await ask(spec!.clusterIP!, 80, netns[0])));
      await until(
        'all are ready',
        async () =>
          (await client.resource('apps/v1/deployments').get({ name: 'web', namespace: 'default' })).status
            ?.availableReplicas === 3,
      );
      await until(
        'an address of the load balancer',
        async () =>
          (await client.resource('v1/services').get({ name: 'web', namespace: 'default' })).status?.loadBalancer
            ?.ingress?.[0]?.ip !== undefined,
      );
      const { status } = await client.resource('v1/services').get({ name: 'web', namespace: 'default' });
      addresses = {
        cluster: spec!.clusterIP!,
        nodePort: spec!.ports![0]!.nodePort!,
        balancer: status!.loadBalancer!.ingress![0]!.ip!,
      };
      const everyone = await podNames();
      expect(everyone.size).toBe(3);
      const pods = (await client.resource('v1/pods').list({ namespace: 'default' })).items;
      expect(new Set(pods.map(({ spec: pod }) => pod?.nodeName)).size).toBe(3);
      for (const node of cluster.fleet!.fabric.nodes.values()) {
        await until('every Pod answers at the cluster address', async () =>
          isDeepStrictEqual(await answers(addresses.cluster, 80, node.netnsPath), everyone),
        );
        await until("every Pod answers at the node's port", async () =>
          isDeepStrictEqual(await answers(node.addresses[0]!, addresses.nodePort), everyone),
        );
      }
      await until('the load balancer answers', async () => everyone.has(await ask(addresses.balancer, 80)));
      await until("every Pod answers at the load balancer's address", async () =>
        isDeepStrictEqual(await answers(addresses.balancer, 80), everyone),
      );
    });

    it('Pods find Services by name and reach Pods of other nodes', async () => {
      await client.resource('v1/pods').create({
        metadata: { name: 'client', namespace: 'default' },
        spec: {
          restartPolicy: 'Never',
          containers: [
            {
              name: 'c',
              image: 'docker.io/library/busybox:test',
              imagePullPolicy: 'Never',
              command: [
                'sh',
                '-c',
                'nslookup web.default.svc.cluster.local && printf "GET /cgi-bin/hostname HTTP/1.0\\r\\n\\r\\n" | nc -w 60 $WEB_SERVICE_HOST 80',
              ],
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
      const log = Buffer.concat(pieces).toString();
      expect(log).toContain(`Address: ${addresses.cluster}`);
      expect([...(await podNames())].some((name) => log.includes(name))).toBe(true);
    });

    it('traffic flows while DNS is down, and names are back with it', async () => {
      const [node] = cluster.fleet!.fabric.nodes.values();
      const { spec } = await client.resource('v1/services').get({ name: 'kube-dns', namespace: 'kube-system' });
      const query = encodeMessage({
        id: 7,
        recursionDesired: true,
        questions: [{ name: 'web.default.svc.cluster.local', type: TYPE.A, class: 1 }],
      });
      const resolves = async (): Promise<boolean> => {
        const socket = await datagramIn({ netns: node!.netnsPath, host: '0.0.0.0', port: 0 });
        try {
          socket.on('error', () => undefined);
          socket.send(query, 53, spec!.clusterIP!);
          return await Promise.race([
            once(socket, 'message').then(
              () => true,
              () => false,
            ),
            ctx.clock.sleep(300).then(() => false),
          ]);
        } finally {
          socket.close();
        }
      };
      await until('names are known', resolves);
      await cluster.components.stop('dns');
      expect(await resolves()).toBe(false);
      await expect.poll(() => answers(addresses.cluster, 80, node!.netnsPath)).toEqual(await podNames());
      cluster.components.start('dns');
      await until('names are known again', resolves);
    });

    it('a pod under a policy reaches no other pod from its first packet on, one without does', async () => {
      await client.resource('v1/namespaces').create({ metadata: { name: 'guarded' } });
      await client.resource('networking.k8s.io/v1/networkpolicies').create({
        metadata: { name: 'deny', namespace: 'guarded' },
        spec: { podSelector: { matchLabels: { guarded: 'yes' } }, policyTypes: ['Ingress', 'Egress'] },
      });
      await until('the ServiceAccount', () =>
        client
          .resource('v1/serviceaccounts')
          .get({ name: 'default', namespace: 'guarded' })
          .then(
            () => true,
            () => false,
          ),
      );
      const get = (seconds: number): string =>
        `printf 'GET /cgi-bin/hostname HTTP/1.0\\r\\n\\r\\n' | nc -w ${seconds} ${addresses.cluster} 80`;
      const guarded = `for i in 1 2 3; do ${get(1)}; done; echo end`;
      const free = `until ${get(10)} | grep HTTP; do sleep 0.2; done; echo end`;
      const names = ['one', 'two', 'three', 'free'];
      await Promise.all(
        names.map((name) =>
          client.resource('v1/pods').create({
            metadata: { name, namespace: 'guarded', labels: { guarded: name === 'free' ? 'no' : 'yes' } },
            spec: {
              restartPolicy: 'Never',
              containers: [
                {
                  name: 'c',
                  image: 'docker.io/library/busybox:test',
                  imagePullPolicy: 'Never',
                  command: ['sh', '-c', name === 'free' ? free : guarded],
                },
              ],
            },
          }),
        ),
      );
      await until('they end', async () =>
        (await client.resource('v1/pods').list({ namespace: 'guarded' })).items.every(({ status }) =>
          ['Succeeded', 'Failed'].includes(status?.phase ?? ''),
        ),
      );
      for (const name of names) {
        const pieces: Uint8Array[] = [];
        for await (const piece of await client
          .resource('v1/pods')
          .streamSubresource({ name, namespace: 'guarded' }, 'log'))
          pieces.push(piece);
        const log = Buffer.concat(pieces).toString();
        expect(log).toContain('end');
        expect(log.includes('HTTP/1.'), name).toBe(name === 'free');
      }
    });

    it('a rolling update under load loses no request', async () => {
      const results: string[] = [];
      let loading = true;
      const load = (async () => {
        while (loading) {
          results.push(
            ...(await Promise.all([
              ask(addresses.balancer, 80),
              ask(addresses.cluster, 80, [...cluster.fleet!.fabric.nodes.values()][1]!.netnsPath),
            ])),
          );
          await ctx.clock.sleep(20);
        }
      })();
      const before = await podNames();
      const current = await client.resource('apps/v1/deployments').get({ name: 'web', namespace: 'default' });
      await client.resource('apps/v1/deployments').update({
        ...current,
        spec: {
          ...current.spec!,
          template: {
            ...current.spec!.template,
            metadata: { labels: { app: 'web' }, annotations: { version: 'two' } },
          },
        },
      });
      await until('the update is done', async () => {
        const { status, metadata } = await client
          .resource('apps/v1/deployments')
          .get({ name: 'web', namespace: 'default' });
        return (
          status?.observedGeneration === metadata.generation &&
          status?.updatedReplicas === 3 &&
          status.replicas === 3 &&
          status.availableReplicas === 3
        );
      });
      loading = false;
      await load;
      const after = await podNames();
      const others = results.filter((name) => !before.has(name) && !after.has(name) && !name.startsWith('web-'));
      expect(others).toEqual([]);
      expect(results.length).toBeGreaterThan(10);
      expect([...after].some((name) => before.has(name))).toBe(false);
    });

    it(
      'a node fails as a whole: traffic and pods move to the others in time, and it recovers',
      async () => {
        const podsOf = async () =>
          (await client.resource('v1/pods').list({ namespace: 'default', labelSelector: 'app=web' })).items;
        const living = (await podsOf()).filter(({ metadata }) => !metadata.deletionTimestamp);
        const nodes = [...cluster.fleet!.fabric.nodes.values()];
        const here = nodes[0]!;
        const victim = nodes.find((node) => node !== here && living.some(({ spec }) => spec?.nodeName === node.name))!;
        const { name } = victim;
        const lost = living.filter(({ spec }) => spec?.nodeName === name);
        const lostNames = new Set(lost.map(({ metadata }) => metadata.name!));
        await cluster.fleet!.fail(name);
        expect(await ask(lost[0]!.status!.podIP!, 8080, here.netnsPath, 500)).not.toBe(lost[0]!.metadata.name);
        const ways = [
          [addresses.cluster, 80, here.netnsPath],
          [here.addresses[0]!, addresses.nodePort],
          [addresses.balancer, 80],
        ] as const;
        await until(
          'every request is answered by the others',
          async () => {
            const now = await podNames();
            const results = await Promise.all(
              ways.flatMap(([host, port, netns]) => Array.from({ length: 10 }, () => ask(host, port, netns, 3000))),
            );
            return results.every((result) => now.has(result) && !lostNames.has(result));
          },
          { limitMs: noticedWithinMs },
        );
        const node = await client.resource('v1/nodes').get({ name });
        expect(node.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('Unknown');
        const slices = await client
          .resource('discovery.k8s.io/v1/endpointslices')
          .list({ namespace: 'default', labelSelector: 'kubernetes.io/service-name=web' });
        expect(
          slices.items
            .flatMap(({ endpoints = [] }) => endpoints)
            .filter(({ nodeName, conditions }) => nodeName === name && conditions?.ready !== false),
        ).toEqual([]);
        await until(
          'the node is tainted',
          async () =>
            (await client.resource('v1/nodes').get({ name })).spec?.taints?.some(
              ({ key, effect }) => key === 'node.kubernetes.io/unreachable' && effect === 'NoExecute',
            ) ?? false,
        );
        await until(
          'three Pods are ready elsewhere',
          async () =>
            (await podsOf()).filter(
              ({ spec, status, metadata }) =>
                spec?.nodeName !== name &&
                !metadata.deletionTimestamp &&
                status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
            ).length === 3,
        );
        expect(
          (await podsOf())
            .filter(({ metadata }) => lostNames.has(metadata.name!))
            .every(({ metadata }) => metadata.deletionTimestamp !== undefined),
        ).toBe(true);

        const { runtime } = await cluster.fleet!.add(name);
        await until('the node is ready and takes Pods', async () => {
          const { spec, status } = await client.resource('v1/nodes').get({ name });
          return (
            (spec?.taints ?? []).length === 0 &&
            (status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false)
          );
        });
        await until('nothing is left of the Pods that were replaced', async () => {
          const { items = [] } = await runtime.runtime.listPodSandbox({});
          return (
            !items.some(({ metadata }) => lostNames.has(metadata?.name ?? '')) &&
            !(await podsOf()).some(({ metadata }) => lostNames.has(metadata.name!))
          );
        });
        const everyone = await podNames();
        await until('its rules are those of now', async () =>
          [...(await answers(addresses.cluster, 80, victim.netnsPath))].every((answer) => everyone.has(answer)),
        );
        await expect.poll(() => answers(victim.addresses[0]!, addresses.nodePort)).toEqual(everyone);
      },
      noticedWithinMs + 180_000,
    );

    it('a removed node takes its pods’ endpoints with it, and others replace them', async () => {
      await cluster.fleet!.remove('node-3');
      await until(
        'the node is gone',
        async () =>
          !(await client.resource('v1/nodes').list()).items.some(({ metadata }) => metadata.name === 'node-3'),
      );
      await until('three Pods on two nodes', async () => {
        const pods = (
          await client.resource('v1/pods').list({ namespace: 'default', labelSelector: 'app=web' })
        ).items.filter(
          ({ metadata, status }) =>
            !metadata.deletionTimestamp &&
            status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
        );
        return pods.length === 3 && pods.every(({ spec }) => spec?.nodeName !== 'node-3');
      });
      const everyone = await podNames();
      await until(
        'only they answer',
        async () =>
          JSON.stringify(
            [
              ...(await answers(addresses.cluster, 80, [...cluster.fleet!.fabric.nodes.values()][0]!.netnsPath)),
            ].toSorted(),
          ) === JSON.stringify([...everyone].toSorted()),
      );
      await until('the load balancer too', async () =>
        [...(await answers(addresses.balancer, 80))].every((name) => everyone.has(name)),
      );
    });
  },
);
