import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPki, openStore, startApiServer, type ApiServer, type ClusterPki } from '../src/apiserver/index.ts';
import { Client } from '../src/client/index.ts';
import { createFabric, type Fabric } from '../src/cluster/fabric/index.ts';
import { inProcessTransport } from '../src/cluster/in-process-transport.ts';
import { BridgeNetwork } from '../src/container-runtime/network/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { connectIn, listenIn } from '../src/net/netns/index.ts';
import { TestNamespaces } from '../src/net/netns/testing/index.ts';
import { everything, requires } from './requires.ts';

const missing = requires('root', 'ip', 'nft');

describe.skipIf(missing !== undefined)(
  `a cluster's network in the machine's own namespace${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const stop = new AbortController();
    const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
    let namespaces: TestNamespaces;
    let fabric: Fabric;
    let api: ApiServer;
    let pki: ClusterPki;
    const pods: { netns: string; ip: string }[] = [];
    const networks: BridgeNetwork[] = [];

    beforeAll(async () => {
      namespaces = new TestNamespaces();
      fabric = await createFabric(ctx, {
        name: `test-${process.pid}`,
        stateDirectory: path.join(namespaces.directory, 'fabric'),
      });
      const [hostAddress] = fabric.hostAddresses as [string];
      pki = await openPki(ctx, undefined, {
        dnsNames: ['kubernetes.default.svc'],
        addresses: ['127.0.0.1', hostAddress],
      });
      api = await startApiServer(ctx, {
        store: await openStore(ctx, { type: 'memory' }),
        pki,
        host: '127.0.0.1',
        port: 0,
        advertiseAddress: hostAddress,
        serviceClusterIpRange: fabric.ranges.services[0]!,
      });
      await fabric.serveOnHost(api.port, (socket) => api.accept(socket));
      for (const index of [0, 1, 2]) {
        const podCidrs = [fabric.ranges.pods[0]!.replace('.0.0/16', `.${index}.0/24`)];
        const node = await fabric.addNode(`node-${index}`, { podCidrs });
        const network = await BridgeNetwork.open(ctx, {
          nodeNetns: node.netnsPath,
          stateDirectory: path.join(namespaces.directory, node.name),
          mtu: fabric.mtu,
        });
        networks.push(network);
        await network.configure({ podCidrs });
        const netns = namespaces.create(`pod-${index}`);
        const { ips } = await network.attach({
          id: `pod-${index}`,
          name: `pod-${index}`,
          namespace: 'default',
          uid: '',
          netnsPath: netns,
        });
        pods.push({ netns, ip: ips[0]! });
      }
    });
    afterAll(async () => {
      for (const network of networks) await network.close();
      await fabric?.destroy();
      stop.abort();
      await api?.finished.catch(() => {});
      namespaces?.close();
    });

    /** What the API server answers at an address, over TLS, from inside a namespace. */
    const get = async (netns: string | undefined, address: string, target: string): Promise<string> => {
      const socket = tls.connect({
        socket: connectIn({ netns, host: address, port: api.port }),
        host: address,
        ca: pki.ca.certificate,
        ALPNProtocols: ['http/1.1'],
      });
      await once(socket, 'secureConnect');
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${address}\r\nConnection: close\r\n\r\n`);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    };

    test('pods and nodes reach the API server at the address that the Service "kubernetes" has', async () => {
      const [address] = fabric.hostAddresses as [string];
      const client = new Client({
        transport: inProcessTransport({
          handle: api.handle,
          user: { name: 'admin', groups: ['system:masters'] },
          signal: ctx.signal,
        }),
        clock: ctx.clock,
        userAgent: 'test',
      });
      const { endpoints, ports } = await client
        .resource('discovery.k8s.io/v1/endpointslices')
        .get({ namespace: 'default', name: 'kubernetes' });
      expect([endpoints?.[0]?.addresses, ports?.[0]?.port]).toEqual([[address], api.port]);
      for (const netns of [
        ...pods.map((pod) => pod.netns),
        ...[...fabric.nodes.values()].map(({ netnsPath }) => netnsPath),
        undefined,
      ]) {
        expect(await get(netns, address, '/version')).toMatch(/"gitVersion": ?"v1\.36/);
      }
    });

    test('pods reach pods of every node, and the host reaches pods', async () => {
      const servers = await Promise.all(
        pods.map(async ({ netns }) => {
          const server = net.createServer((socket) => socket.end(socket.remoteAddress ?? ''));
          await listenIn(server, { netns, host: '0.0.0.0', port: 80 });
          return server;
        }),
      );
      const ask = async (netns: string | undefined, host: string): Promise<string> =>
        String((await once(connectIn({ netns, host, port: 80 }), 'data'))[0]);
      for (const to of pods) {
        for (const from of pods) expect(await ask(from.netns, to.ip)).toBe(from.ip);
        expect(await ask(undefined, to.ip)).toBe(fabric.hostAddresses[0]);
      }
      for (const server of servers) server.close();
    });

    test('the machine has one interface of it, and the routes', () => {
      const links = execFileSync('ip', ['-br', 'link']).toString();
      expect(links.split('\n').filter((line) => line.startsWith(fabric.hostInterface))).toHaveLength(1);
      const routes = execFileSync('ip', ['route']).toString();
      expect(routes).toContain(`blackhole ${fabric.ranges.services[0]}`);
      for (const { podCidrs, addresses } of fabric.nodes.values())
        expect(routes).toContain(`${podCidrs[0]} via ${addresses[0]} dev ${fabric.hostInterface}`);
    });

    test('a hundred pods on one node are attached with little processor time', async () => {
      const sandboxes = Array.from({ length: 100 }, (_, index) => ({
        id: `many-${index}`,
        name: `many-${index}`,
        namespace: 'default',
        uid: '',
        netnsPath: namespaces.create(`many-${index}`),
      }));
      const before = process.cpuUsage();
      const attachments = await Promise.all(sandboxes.map((sandbox) => networks[0]!.attach(sandbox)));
      const { user, system } = process.cpuUsage(before);
      expect(new Set(attachments.map(({ ips }) => ips[0])).size).toBe(100);
      // A share of the 15 s that a hundred pods have in all, with room for what a busy machine adds: cold caches, other tests.
      expect((user + system) / 1000).toBeLessThan(everything ? 2500 : 7500);
      await Promise.all(sandboxes.map((sandbox) => networks[0]!.detach(sandbox)));
    });
  },
);
