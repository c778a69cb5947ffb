import { getEventListeners, once } from 'node:events';
import http from 'node:http';
import type net from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import type { ContainerRuntime } from '../../cri/index.ts';
import { createContext } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import { PodEvents } from '../pod/pod-events.ts';
import type { ObservedPod } from '../runtime/observe-pod.ts';
import { nodeDialer } from './dial.ts';
import { ProbeManager } from './probe-manager.ts';
import { runProbe } from './run-probe.ts';

let server: http.Server;
beforeAll(async () => {
  server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://pod');
    if (pathname === '/ok') response.end('fine');
    else if (pathname === '/unchanged') response.writeHead(304).end();
    else response.writeHead(302, { location: searchParams.get('to') ?? '' }).end('moved');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());

/** The first result of an HTTP probe of the path, and the events. */
async function probed(path: string): Promise<{ result: string; events: string[] }> {
  const ctx = createContext({ writeLog: () => {} });
  const events: string[] = [];
  const recorder = {
    event: (_to: unknown, type: string, reason: string, message: string) =>
      void events.push(`${type} ${reason} ${message}`),
  };
  const manager = new ProbeManager(ctx, {
    runtime: {} as ContainerRuntime,
    dial: nodeDialer(undefined),
    events: new PodEvents(recorder as unknown as ConstructorParameters<typeof PodEvents>[0]),
    wake: () => {},
  });
  const { port } = server.address() as net.AddressInfo;
  const startupProbe = { httpGet: { path, port }, failureThreshold: 1, periodSeconds: 1 };
  const pod: Pod = { metadata: { name: 'p', uid: 'u' }, spec: { containers: [{ name: 'c', startupProbe }] } };
  const observed = {
    sandboxes: [{ ready: true, ips: ['127.0.0.1'] }],
    containers: [{ id: 'id', name: 'c', state: 'running', startedAt: 0 }],
  } as unknown as ObservedPod;
  manager.update(pod, observed);
  await until('the probe has run', () => manager.result('startup', 'id') !== 'unknown');
  const result = manager.result('startup', 'id');
  await manager.stop();
  return { result, events: [...new Set(events)] };
}

const redirect = (to: string): string => `/redirect?to=${encodeURIComponent(to)}`;

it.each([
  ['/ok', 'success', []],
  [
    redirect('/unchanged'),
    'success',
    ['Warning ProbeWarning Startup probe warning: Probe terminated redirects, Response body: '],
  ],
  [
    redirect('http://192.0.2.1/'),
    'success',
    ['Warning ProbeWarning Startup probe warning: Probe terminated redirects, Response body: moved'],
  ],
  [redirect('http://['), 'failure', [expect.stringContaining('failed to parse Location header "http://["')]],
])('reports an HTTP probe that is answered with a redirect: %s', async (path, result, events) => {
  expect(await probed(path)).toEqual({ result, events });
});

it('follows redirects to the same host, but not for ever', async () => {
  const { port } = server.address() as net.AddressInfo;
  expect((await probed(redirect('/ok'))).result).toBe('success');
  const { result, events } = await probed(redirect(`http://127.0.0.1:${port}/redirect?to=/redirect`));
  expect(result).toBe('failure');
  expect(events[0]).toContain('stopped after 10 redirects');
});

it('leaves nothing behind that waits for its timeout', async () => {
  const { port } = server.address() as net.AddressInfo;
  const { clock } = createContext();
  const { signal } = new AbortController();
  const target = { pod: { metadata: { name: 'p' } }, container: { name: 'c' }, containerId: 'id', podIp: '127.0.0.1' };
  const deps = { runtime: {} as ContainerRuntime, dial: nodeDialer(undefined), clock };
  for (const probe of [{ httpGet: { path: '/ok', port } }, { tcpSocket: { port } }])
    expect(await runProbe({ ...probe, timeoutSeconds: 60 }, target, deps, signal)).toMatchObject({ result: 'success' });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
