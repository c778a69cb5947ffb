/** pods/log and the certificate of the kubelet that has the log. */
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { selfSignedCertificate } from '../../component-server/index.ts';
import { createTestContext, RealClock } from '../../kernel/index.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

let kubelet: https.Server;
let server: TestServer;
/** What the kubelet was asked last. */
let asked = '';

beforeAll(async () => {
  const context = { ...createTestContext(), clock: new RealClock() };
  const [serving, other] = await Promise.all([
    selfSignedCertificate(context, 'kubelet'),
    selfSignedCertificate(context, 'another'),
  ]);
  kubelet = https.createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
    asked = request.url ?? '';
    response.end('a line\n');
  });
  await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
  server = await startTestServer({
    kubelet: { ca: other.certificate },
    defaultServiceAccounts: true,
    featureGates: { PodLogsQuerySplitStreams: true },
  });
  const { port } = kubelet.address() as AddressInfo;
  await server.call('POST', '/api/v1/nodes', { body: { metadata: { name: 'n' } } });
  await server.call('PATCH', '/api/v1/nodes/n/status', {
    headers: { 'content-type': 'application/merge-patch+json' },
    body: {
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      },
    },
  });
  await server.call('POST', '/api/v1/namespaces/default/pods', {
    body: { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } },
  });
});
afterAll(async () => {
  await server.stop();
  await new Promise((resolve) => kubelet.close(resolve));
});

it.each([
  ['a certificate of another authority is refused', '', 500, 1],
  ['unless the request allows it', '?insecureSkipTLSVerifyBackend=true', 200, 1],
  ['which it can also refuse', '?insecureSkipTLSVerifyBackend=false', 500, 2],
])('%s', async (_case, query, status, failures) => {
  const answer = await server.call('GET', `/api/v1/namespaces/default/pods/p/log${query}`);
  expect(answer.status).toBe(status);
  if (status === 500) expect(answer.body['message']).toContain('x509: certificate signed by unknown authority');
  expect(server.ctx.metrics.expose()).toContain(`kube_apiserver_pod_logs_backend_tls_failure_total ${failures}\n`);
});

it.each([
  ['everything without a stream', '', 200, '?stream=All'],
  ['one stream', 'stream=Stderr&timestamps=true', 200, '?timestamps=true&stream=Stderr'],
  ['no other stream', 'stream=stderr', 422, 'stream: Unsupported value: "stderr"'],
  ['no last lines of one stream', 'stream=Stdout&tailLines=1', 422, '`tailLines` and specific `stream` are mutually'],
])('selects %s where the gate is on', async (_case, query, status, found) => {
  const allowed = `insecureSkipTLSVerifyBackend=true&${query}`;
  const answer = await server.call('GET', `/api/v1/namespaces/default/pods/p/log?${allowed}`);
  expect(answer.status).toBe(status);
  expect(status === 200 ? asked : String(answer.body['message'])).toContain(found);
});

it('counts who verified the certificate and who did not', () => {
  const text = server.ctx.metrics.expose();
  expect(text).toContain('kube_apiserver_pod_logs_insecure_backend_total{usage="enforce_tls"} 2\n');
  expect(text).toContain('kube_apiserver_pod_logs_insecure_backend_total{usage="skip_tls_allowed"} 5\n');
});
