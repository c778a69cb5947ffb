import http from 'node:http';
import type net from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dialLoopback, startTestServer, type TestServer } from '../testing/index.ts';

const NS = '/api/v1/namespaces/default';
const ADDRESS = '192.0.2.30';
let server: TestServer;
let backend: http.Server;
let port: number;

beforeAll(async () => {
  backend = http.createServer((request, response) => response.end(request.headers.host));
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  ({ port } = backend.address() as net.AddressInfo);
  server = await startTestServer({ dial: dialLoopback });
  const made = async (path: string, body: object): Promise<void> => {
    const answer = await server.call('POST', path, { body });
    expect(answer.status, answer.text).toBe(201);
  };
  await made(`${NS}/pods`, {
    metadata: { name: 'web' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  });
  await server.call('PATCH', `${NS}/pods/web/status`, {
    body: { status: { phase: 'Running', podIP: ADDRESS, podIPs: [{ ip: ADDRESS }] } },
    contentType: 'application/merge-patch+json',
  });
  await made(`${NS}/services`, { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } });
  await made('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    metadata: { name: 'web', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: '', port }],
    endpoints: [{ addresses: [ADDRESS], targetRef: { kind: 'Pod', namespace: 'default', name: 'web' } }],
  });
  await made('/api/v1/nodes', {
    metadata: { name: 'n' },
    status: { addresses: [{ type: 'InternalIP', address: '192.0.2.31' }] },
  });
});
afterAll(async () => {
  await server.stop();
  backend.close();
});

it.each(['pods', 'services', 'nodes'] as const)(
  'the backend of %s/proxy gets the Host header of the client',
  async (kind) => {
    const path = {
      pods: `${NS}/pods/web:${port}/proxy/x`,
      services: `${NS}/services/web:80/proxy/x`,
      nodes: `/api/v1/nodes/n:${port}/proxy/x`,
    }[kind];
    for (const headers of [{ host: 'api.example.com:6443' }, { ':authority': 'api.example.com:6443' }]) {
      const pieces: string[] = [];
      const { response } = await server.call('GET', path, { headers } as never);
      await response.stream?.({
        signal: new AbortController().signal,
        write: (bytes: Buffer) => pieces.push(bytes.toString()) > 0,
      } as never);
      expect(pieces.join('')).toBe('api.example.com:6443');
    }
  },
);
