import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { startTestServer } from '../apiserver/testing/index.ts';
import { Client } from '../client/index.ts';
import { inProcessTransport } from '../cluster/in-process-transport.ts';
import { createContext } from '../kernel/index.ts';
import { connectIn, listenIn, runIn } from '../net/netns/index.ts';
import { namespacesMissing, TestNamespaces } from '../net/netns/testing/index.ts';
import { DEFAULT_KUBE_PROXY_CONFIG } from './config.ts';
import { run } from './run.ts';

const missing = namespacesMissing('ip', 'nft');

describe.skipIf(missing !== undefined)(
  `kube-proxy follows the API server${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    it('from a Service and its slice to an answered connection, and to a health check', async () => {
      const namespaces = new TestNamespaces();
      const netns = namespaces.create('node');
      for (const command of ['link set lo up', 'addr add 10.244.0.1/32 dev lo', 'route add 10.96.0.0/12 dev lo'])
        await runIn('ip', command.split(' '), { netns });
      const backend = net.createServer((socket) => socket.end('hello'));
      await listenIn(backend, { netns, host: '10.244.0.1', port: 8080 });
      const server = await startTestServer();
      const stop = new AbortController();
      const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
      const transport = inProcessTransport({
        handle: server.pipeline.handle,
        user: { name: 'admin', groups: ['system:masters'] },
        signal: stop.signal,
      });
      const client = new Client({ transport, clock: ctx.clock, userAgent: 'test' });
      let running: Promise<void> | undefined;
      try {
        const node = await client.resource('v1/nodes').create({ metadata: { name: 'n1' } });
        await client
          .resource('v1/nodes')
          .updateStatus({ ...node, status: { addresses: [{ type: 'InternalIP', address: '10.244.0.1' }] } });
        await new Promise<void>((resolve, reject) => {
          running = run(ctx, {
            client,
            config: { ...DEFAULT_KUBE_PROXY_CONFIG, clusterCidr: '10.244.0.0/16' },
            nodeName: 'n1',
            netns,
            onReady: resolve,
          });
          running.catch(reject);
        });
        const { spec } = await client.resource('v1/services').create({
          metadata: { name: 'web', namespace: 'default' },
          spec: {
            type: 'LoadBalancer',
            externalTrafficPolicy: 'Local',
            selector: { app: 'web' },
            ports: [{ port: 80, targetPort: 8080 }],
          },
        });
        await client.resource('discovery.k8s.io/v1/endpointslices').create({
          metadata: { name: 'web-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } },
          addressType: 'IPv4',
          ports: [{ name: '', port: 8080, protocol: 'TCP' }],
          endpoints: [{ addresses: ['10.244.0.1'], nodeName: 'n1', conditions: { ready: true } }],
        });
        const ask = async (): Promise<string> => {
          const socket = connectIn({ netns, host: spec!.clusterIP!, port: 80, signal: AbortSignal.timeout(500) });
          const data = once(socket, 'data').then(([bytes]) => (bytes as Buffer).toString());
          return Promise.race([data, once(socket, 'error').then(([error]) => (error as Error).message)]).catch(
            (error: Error) => error.message,
          );
        };
        await expect.poll(ask).toBe('hello');
        const health = (port: number, path: string): Promise<{ status: number | undefined; body: unknown }> =>
          new Promise((resolve, reject) => {
            const request = http.get(
              { path, createConnection: () => connectIn({ netns, host: '127.0.0.1', port }) },
              (response) => {
                let text = '';
                response.on('data', (bytes: Buffer) => (text += bytes.toString()));
                response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
              },
            );
            request.on('error', reject);
          });
        await expect
          .poll(() => health(spec!.healthCheckNodePort!, '/').catch(() => undefined))
          .toEqual({
            status: 200,
            body: { service: { namespace: 'default', name: 'web' }, localEndpoints: 1, serviceProxyHealthy: true },
          });
        expect(await health(10_256, '/healthz')).toMatchObject({ status: 200, body: { nodeEligible: true } });
        // Somebody deletes the rules: the next change writes them all.
        await runIn('nft', ['delete', 'table', 'ip', 'kube-proxy'], { netns });
        await client.resource('v1/services').create({
          metadata: { name: 'other', namespace: 'default' },
          spec: { selector: { app: 'other' }, ports: [{ port: 81 }] },
        });
        await expect.poll(ask, { timeout: 5000 }).toBe('hello');
      } finally {
        stop.abort(new Error('the test has ended'));
        await running?.catch(() => {});
        backend.close();
        await server.stop();
        namespaces.close();
      }
    });
  },
);
