import { afterEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../apiserver/testing/index.ts';
import { Client, readJsonLines, type Transport, type TransportRequest, type WatchEvent } from '../client/index.ts';
import { inProcessTransport } from '../cluster/in-process-transport.ts';
import { childContext } from '../kernel/index.ts';
import { DEFAULT_CONFIG } from './config.ts';
import { run } from './run.ts';

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

let server: TestServer;
const managers: { stop: AbortController; running: Promise<void> }[] = [];
afterEach(async () => {
  for (const { stop } of managers) stop.abort(new Error('the test is over'));
  await server.ctx.clock.drive(Promise.all(managers.splice(0).map(({ running }) => running)));
  await server.stop();
});

interface ManagerOptions {
  readonly leaderElect: boolean;
  readonly controllers: readonly string[];
  /** What comes on the wire of a watch instead of the server's events. */
  readonly watchOf?: (path: string) => string | undefined;
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Starts a manager; the result kills it as the kernel would: nothing of it is sent any more, not even a farewell. */
function startManager(
  identity: string,
  requests: TransportRequest[],
  { watchOf, ...options }: ManagerOptions,
): () => void {
  const { ctx, pipeline } = server;
  const stop = new AbortController();
  let dead = false;
  const inner = inProcessTransport({ handle: pipeline.handle, user: ADMIN, signal: ctx.signal });
  const transport: Transport = {
    ...inner,
    request: (request) => {
      if (dead) return Promise.reject(new Error('dead'));
      requests.push(request);
      return inner.request(request);
    },
    watch: (request) => {
      requests.push(request);
      const text = watchOf?.(request.path);
      if (text === undefined) return inner.watch(request);
      return Promise.resolve(readJsonLines<WatchEvent<unknown>>(piecesOf(text)));
    },
  };
  const client = new Client({ transport, clock: ctx.clock, userAgent: 'kube-controller-manager' });
  const context = childContext(ctx, identity, AbortSignal.any([ctx.signal, stop.signal]));
  managers.push({
    stop,
    running: run(context, { client, config: { ...DEFAULT_CONFIG, rootCa: 'ca', ...options }, identity }).catch(
      () => {},
    ),
  });
  return () => {
    dead = true;
    stop.abort(new Error('killed'));
  };
}

const client = (): Client =>
  new Client({
    transport: inProcessTransport({ handle: server.pipeline.handle, user: ADMIN, signal: server.ctx.signal }),
    clock: server.ctx.clock,
  });

describe('the controller manager', () => {
  it.each([
    ['an object over two lines', '{"type":"ADDED","object":{"kind":"Deployment"\n}}\n'],
    ['no event', '{"kind":"Deployment"}\n'],
  ])('logs an error when its watch cannot be read: %s', async (_name, text) => {
    server = await startTestServer();
    const isDeployments = (path: string): boolean => path === '/apis/apps/v1/deployments';
    startManager('a', [], {
      leaderElect: false,
      controllers: ['deployment-controller'],
      watchOf: (path) => (isDeployments(path) ? text : undefined),
    });
    await server.ctx.clock.advance(1_000);
    const errors = server.ctx.logLines.filter((line) => /^E.*Failed to list or watch/.test(line));
    expect(errors.length).toBeGreaterThan(0);
    for (const line of errors) expect(line).toContain('deployments');
  });

  it('writes nothing and sends less than one request a second when nothing changes', async () => {
    server = await startTestServer();
    const { clock } = server.ctx;
    const requests: TransportRequest[] = [];
    startManager('a', requests, {
      leaderElect: false,
      controllers: ['*', 'bootstrap-signer-controller', 'token-cleaner-controller'],
    });
    await clock.advance(5_000);
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await client()
      .resource('v1/namespaces')
      .create({ metadata: { name: 'work' } });
    await clock.advance(1_000);
    await client()
      .resource('apps/v1/deployments')
      .create({
        metadata: { name: 'd', namespace: 'work' },
        spec: { replicas: 3, selector: { matchLabels: { app: 'a' } }, template },
      });
    await client()
      .resource('v1/services')
      .create({ metadata: { name: 's', namespace: 'work' }, spec: { selector: { app: 'a' }, ports: [{ port: 80 }] } });
    await client()
      .resource('v1/resourcequotas')
      .create({ metadata: { name: 'q', namespace: 'work' }, spec: { hard: { pods: '10', 'count/secrets': '5' } } });
    /** Long enough for progress deadlines and the first recount of quotas. */
    await clock.advance(900_000);
    requests.length = 0;
    const seconds = 1_200;
    await clock.advance(seconds * 1_000);
    expect(requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`)).toEqual(
      [],
    );
    expect(requests.length / seconds).toBeLessThan(1);
  });

  it('hands over when the lease of a killed leader has expired, and repeats nothing', async () => {
    server = await startTestServer();
    const { clock } = server.ctx;
    const first: TransportRequest[] = [];
    const second: TransportRequest[] = [];
    const controllers = ['root-ca-certificate-publisher-controller', 'namespace-controller'];
    const kill = startManager('a', first, { leaderElect: true, controllers });
    await clock.advance(5_000);
    startManager('b', second, { leaderElect: true, controllers });
    await clock.advance(5_000);
    await client()
      .resource('v1/namespaces')
      .create({ metadata: { name: 'one' } });
    await clock.advance(1_000);
    const writes = (requests: readonly TransportRequest[]) =>
      requests
        .filter(({ method, path }) => method !== 'GET' && !path.includes('/leases'))
        .map(({ method, path }) => `${method} ${path}`);
    expect(writes(first)).toContain('POST /api/v1/namespaces/one/configmaps');
    expect(writes(second)).toEqual([]);

    kill();
    await client()
      .resource('v1/namespaces')
      .create({ metadata: { name: 'two' } });
    await clock.advance(15_000);
    expect(writes(first).filter((write) => write.includes('/two/'))).toEqual([]);
    expect(writes(second)).toEqual([
      'POST /api/v1/namespaces/kube-system/events',
      'POST /api/v1/namespaces/two/configmaps',
    ]);
  });
});
