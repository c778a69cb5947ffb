/**
 * The ports of a node in one process, without containers: the kubelet's API, the CRI streaming server, kube-proxy's health
 * and metrics, cluster DNS, an Ingress and a component's server. Everything on them is the program's own but what lies
 * behind: pods, the API server that reviews tokens, and the runtime. Prints its ports when they listen, and on each line of
 * its input a new URL for every kind of stream.
 */
import { once } from 'node:events';
import net from 'node:net';
import readline from 'node:readline';
import { serveComponent, selfSignedCertificate } from '../../src/component-server/index.ts';
import { StreamingServer } from '../../src/container-runtime/streaming/streaming-server.ts';
import { Forwarder } from '../../src/dns/forwarder.ts';
import { ClusterRecords } from '../../src/dns/index.ts';
import { AnswerCache, respond } from '../../src/dns/respond.ts';
import { DEFAULT_BLOCKS, Routes } from '../../src/dns/routes.ts';
import { listen as listenDns } from '../../src/dns/serve.ts';
import { IngressProxy } from '../../src/ingress-controller/proxy.ts';
import { createContext } from '../../src/kernel/index.ts';
import { healthAnswer, metricsAnswer, serveEndpoints } from '../../src/kube-proxy/health-servers.ts';
import { DEFAULT_KUBELET_CONFIGURATION } from '../../src/kubelet/index.ts';
import { serveKubelet } from '../../src/kubelet/server/serve-kubelet.ts';
import { createHttpServer, createHttpsServer } from '../../src/net/http/index.ts';

const ctx = createContext({ writeLog: (line) => void process.stderr.write(`${line}\n`) });
const HOST = '127.0.0.1';

/** Answers every review with yes, so that what lies behind is reached. */
const client = {
  resource: (name: string) => ({
    create: () =>
      Promise.resolve({
        status: name.endsWith('tokenreviews')
          ? { authenticated: true, user: { username: 'hostile', groups: [] } }
          : { allowed: true },
      }),
  }),
};

const pod = {
  metadata: { name: 'a1', namespace: 'default', uid: 'u1' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
  status: { phase: 'Running' },
};
const worker = {
  pod,
  podWithStatus: pod,
  isTerminating: false,
  observed: {
    sandboxes: [{ id: 's1', ready: true }],
    containers: [{ id: 'c1', name: 'c', state: 'running', status: { logPath: '/etc/hostname' } }],
  },
};
const manager = { workers: [worker], pods: () => [pod], worker: () => worker };

const echo = net.createServer((socket) => void socket.on('error', () => {}).pipe(socket)).listen(0, HOST);
await once(echo, 'listening');
const echoPort = (echo.address() as net.AddressInfo).port;

/** A sandbox on the machine's own network; no container runs. */
const sandbox = {
  id: 's1',
  phase: 'ready',
  config: { linux: { securityContext: { namespaceOptions: { network: 'NODE' } } } },
};
const parts = {
  ctx,
  sandboxes: { find: () => sandbox },
  containers: { find: () => undefined },
  nodeNetns: undefined,
  handlers: new Map(),
  paths: {},
};
const streaming = await StreamingServer.listen(parts as never, { host: HOST, port: 0 });

const runtime = {
  runtime: {
    exec: (request: object) => Promise.resolve({ url: streaming.urlFor({ kind: 'exec', request } as never) }),
    attach: (request: object) => Promise.resolve({ url: streaming.urlFor({ kind: 'attach', request } as never) }),
    portForward: (request: object) =>
      Promise.resolve({ url: streaming.urlFor({ kind: 'portforward', request } as never) }),
    execSync: () => Promise.resolve({ stdout: Buffer.from('ok'), exitCode: 0 }),
    containerStatus: () => Promise.resolve({ status: { state: 'CONTAINER_EXITED' } }),
    listPodSandbox: () => Promise.resolve({ items: [] }),
    listContainers: () => Promise.resolve({ containers: [] }),
    checkpointContainer: () => Promise.reject(Object.assign(new Error('no checkpoints'), { code: 'UNIMPLEMENTED' })),
  },
};
const usage = {
  cpu: { time: '2026-01-01T00:00:00Z', usageCoreNanoSeconds: 1 },
  memory: { time: '2026-01-01T00:00:00Z', workingSetBytes: 1 },
};
const summary = { node: { nodeName: 'n', startTime: '2026-01-01T00:00:00Z', ...usage }, pods: [] };
const kubelet = await serveKubelet(ctx, {
  config: {
    ...DEFAULT_KUBELET_CONFIGURATION,
    nodeName: 'n',
    rootDirectory: '/nonexistent',
    nodeAddresses: [HOST],
    address: HOST,
    port: 0,
    healthzPort: 0,
    authentication: { anonymous: { enabled: true } },
  },
  client,
  runtime,
  manager,
  stats: { summary: () => Promise.resolve(summary), claimVolumes: () => Promise.resolve([]) },
  machine: {},
  events: {},
} as never);

const certificate = await selfSignedCertificate(ctx, HOST);
const component = await serveComponent(ctx, {
  component: 'kube-scheduler',
  host: HOST,
  port: 0,
  serving: { value: { own: certificate, named: [] }, onChange: () => {} },
  clientCa: { value: '', onChange: () => {} },
  access: { check: () => Promise.resolve('allowed'), checkUser: () => Promise.resolve('allowed') },
  alwaysAllowPaths: ['/healthz', '/livez', '/readyz'],
  checks: [{ name: 'ping', endpoints: ['healthz', 'livez', 'readyz'], check: () => undefined }],
  flags: {},
  pages: { '/page': (query: URLSearchParams) => ({ status: 200, value: [...query] }) },
});

const health = await serveEndpoints(
  ctx,
  { netns: undefined, address: `${HOST}:0` },
  (path) => healthAnswer(ctx, { lastUpdated: ctx.clock.now() })(path) ?? metricsAnswer(ctx, 'nftables')(path),
);

const records = new ClusterRecords();
records.setNamespace('default');
records.setService({
  metadata: { name: 'kubernetes', namespace: 'default' },
  spec: { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'], ports: [{ name: 'https', port: 443, protocol: 'TCP' }] },
} as never);
const zone = { domain: 'cluster.local', ttl: 5, nameServerAddresses: ['10.96.0.10'] };
const resolver = {
  records,
  routes: new Routes(DEFAULT_BLOCKS, {
    zone,
    makeForwarder: (servers = [`${HOST}:1`]) => new Forwarder(ctx, { servers, timeoutMs: 50 }),
  }),
  cache: new AnswerCache(),
  observe: () => {},
  random: () => ctx.random.next(),
};
const dns = await listenDns(ctx, {
  address: HOST,
  port: 0,
  respond: (bytes, transport) => respond(resolver, bytes, transport),
});

/** An endpoint whose answers are as hostile as the requests that come to it. */
const ODD_ANSWERS = [
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 099 Odd\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nraw',
  'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  '\0\0\0',
  'HTTP/1.1 999 Odd\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
  '',
];
let answers = 0;
const endpoint = net.createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => void socket.end(ODD_ANSWERS[answers++ % ODD_ANSWERS.length]!));
});
endpoint.listen(0, HOST);
await once(endpoint, 'listening');
const proxy = new IngressProxy({
  logger: ctx.logger,
  scheme: 'http',
  route: (_host, path) =>
    path.startsWith('/none') ? 'not-found' : { ip: HOST, port: (endpoint.address() as net.AddressInfo).port },
});
const handlers = {
  request: proxy.handle,
  upgrade: proxy.upgrade,
  failed: (error: unknown) => ctx.logger.error(error, 'A request for an Ingress could not be answered'),
};
const ingress = createHttpServer(handlers).listen(0, HOST);
const secureIngress = createHttpsServer(handlers, { cert: certificate.certificate, key: certificate.key }).listen(
  0,
  HOST,
);
await Promise.all([once(ingress, 'listening'), once(secureIngress, 'listening')]);

const portOf = (server: net.Server): number => (server.address() as net.AddressInfo).port;

readline.createInterface({ input: process.stdin }).on('line', () => {
  const command = { containerId: 'c1', cmd: ['sh'], stdin: true, stdout: true, stderr: true };
  const urls = [
    streaming.urlFor({ kind: 'exec', request: command }),
    streaming.urlFor({ kind: 'exec', request: { ...command, tty: true, stderr: false } }),
    streaming.urlFor({ kind: 'portforward', request: { podSandboxId: 's1', port: [] } }),
    streaming.urlFor({ kind: 'portforward', request: { podSandboxId: 's1', port: [echoPort] } }),
  ];
  process.stdout.write(`${JSON.stringify({ urls })}\n`);
});

const ports = {
  kubelet: kubelet.port,
  streaming: Number(new URL(streaming.url).port),
  component: component.port,
  kubeProxy: portOf(health!),
  dns: dns.port,
  ingress: portOf(ingress),
  secureIngress: portOf(secureIngress),
  echo: echoPort,
};
process.stdout.write(`${JSON.stringify({ ports })}\n`);
