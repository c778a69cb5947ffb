/**
 * Runs the ingress controller: watches Ingresses, IngressClasses and Secrets, proxies requests, and writes the
 * Ingresses' status.
 */
import type net from 'node:net';
import type { Secret } from '../api/generated/core-v1.ts';
import type { Ingress, IngressClass } from '../api/generated/networking-v1.ts';
import { deepEqual } from '../base/index.ts';
import {
  InformerFactory,
  isConflict,
  isNotFound,
  keyOf,
  splitKey,
  type Client,
  type SharedInformer,
} from '../client/index.ts';
import { RunGroup, runWorkers, WorkQueue, type Context } from '../kernel/index.ts';
import { createHttpServer, createHttpsServer } from '../net/http/index.ts';
import { Certificates } from './certificates.ts';
import { EndpointPicker } from './endpoint-picker.ts';
import { IngressProxy, type Endpoint, type ProxyOptions } from './proxy.ts';
import { buildRoutingTable, findBackend, type RoutingTable } from './routing-table.ts';

/** The `controller` of the IngressClasses that this controller serves. */
const INGRESS_CONTROLLER = 'k8ts.dev/ingress';
const INGRESS_CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const DEFAULT_CLASS_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';

interface IngressConfig {
  readonly address: string;
  /** 0 picks a free port. */
  readonly httpPort: number;
  readonly httpsPort: number;
  /**
   * The IngressClass to create if it does not exist; it becomes the default class if there is none. '' creates none.
   */
  readonly ingressClass: string;
}

export const DEFAULT_INGRESS_CONFIG: IngressConfig = {
  address: '127.0.0.1',
  httpPort: 80,
  httpsPort: 443,
  ingressClass: 'k8ts',
};

interface IngressOptions {
  readonly client: Client;
  readonly config: IngressConfig;
  /** Connects to an endpoint; by default over the process's own network. */
  readonly connect?: (endpoint: Endpoint) => net.Socket;
  /** Makes a port of the address lead to this machine's, where that is not so by itself; returns it, also for 0. */
  readonly acquirePort?: (address: { readonly host: string; readonly port: number }) => Promise<number>;
  readonly onReady?: (endpoints: IngressEndpoints) => void;
}

/** Where Ingresses are served. */
export interface IngressEndpoints {
  readonly address: string;
  readonly httpPort: number;
  readonly httpsPort: number;
}

export async function run(ctx: Context, options: IngressOptions): Promise<void> {
  const { client, config, connect, onReady } = options;
  const group = new RunGroup(ctx);
  const informers = new InformerFactory({ ...ctx, signal: group.signal }, { client });
  const watched: Watched = {
    ingresses: informers.informer('networking.k8s.io/v1/ingresses'),
    classes: informers.informer('networking.k8s.io/v1/ingressclasses'),
    secrets: informers.informer('v1/secrets', { fieldSelector: 'type=kubernetes.io/tls' }),
  };
  const { ingresses, classes, secrets } = watched;
  const picker = new EndpointPicker(informers, () => ctx.random.next());
  const certificates = new Certificates();
  let table: RoutingTable = buildRoutingTable([]);
  const rebuild = (): void => {
    const served = ingresses.list().filter((ingress) => isOurs(ingress, classes));
    table = buildRoutingTable(served);
    certificates.update(
      served,
      (key) => secrets.get(key),
      (message, secret) => ctx.logger.warn('Ignoring TLS Secret', { secret, reason: message }),
    );
  };
  const queue = new WorkQueue<string>({ name: 'ingress', clock: ctx.clock, metrics: ctx.metrics });
  enqueueChanges(queue, watched);
  const { http, https, close } = createServers(ctx, {
    connect,
    certificates,
    route: (host, path) => {
      const backend = findBackend(table, host, path);
      return backend ? (picker.pick(backend) ?? 'unavailable') : 'not-found';
    },
  });
  group.start('informers', () => informers.run());
  group.start('ingress', async (signal) => {
    await informers.waitForSync(signal);
    await ensureIngressClass(client, config.ingressClass, classes);
    rebuild();
    const endpoints = await openPorts(ctx, { http, https }, options);
    onReady?.(endpoints);
    try {
      await runWorkers({
        queue,
        workers: 1,
        signal,
        logger: ctx.logger,
        isExpected: isConflict,
        handle: async (key) =>
          key === REBUILD
            ? rebuild()
            : writeStatus(client, ingresses.get(key), { classes, status: statusFor(endpoints), signal }),
      });
    } finally {
      close();
    }
  });
  await group.wait();
}

interface Watched {
  readonly ingresses: SharedInformer<Ingress>;
  readonly classes: SharedInformer<IngressClass>;
  readonly secrets: SharedInformer<Secret>;
}

/** The key that stands for a rebuild of the routing table: many changes at once cost one rebuild. */
const REBUILD = '';

/** Every change rebuilds the routing table; a changed Ingress also gets its status written. */
function enqueueChanges(queue: WorkQueue<string>, { ingresses, classes, secrets }: Watched): void {
  const rebuild = (): void => queue.add(REBUILD);
  const changed = (ingress: Ingress): void => {
    rebuild();
    queue.add(keyOf(ingress));
  };
  ingresses.addHandler({ onAdd: changed, onUpdate: (_before, after) => changed(after), onDelete: rebuild });
  const all = (): void => ingresses.list().forEach(changed);
  classes.addHandler({ onAdd: all, onUpdate: all, onDelete: all });
  secrets.addHandler({ onAdd: rebuild, onUpdate: rebuild, onDelete: rebuild });
}

interface ServerOptions extends Pick<ProxyOptions, 'route'> {
  readonly connect: IngressOptions['connect'];
  readonly certificates: Certificates;
}

function createServers(ctx: Context, { route, connect, certificates }: ServerOptions) {
  const proxyOf = (scheme: 'http' | 'https'): IngressProxy =>
    new IngressProxy({ logger: ctx.logger, scheme, route, ...(connect ? { connect } : {}) });
  const [plain, secure] = [proxyOf('http'), proxyOf('https')];
  const failed = (error: unknown): void => ctx.logger.error(error, 'Failed to answer a request for an Ingress');
  const http = createHttpServer({ request: plain.handle, upgrade: plain.upgrade, failed });
  const https = createHttpsServer(
    { request: secure.handle, upgrade: secure.upgrade, failed },
    { SNICallback: (name, done) => done(null, certificates.find(name)), minVersion: 'TLSv1.2' },
  );
  const close = (): void => {
    for (const server of [http, https]) {
      server.close();
      server.closeAllConnections();
    }
    plain.close();
    secure.close();
  };
  return { http, https, close };
}

function isOurs({ metadata, spec }: Ingress, classes: SharedInformer<IngressClass>): boolean {
  const name = spec?.ingressClassName ?? metadata.annotations?.[INGRESS_CLASS_ANNOTATION];
  return name !== undefined && classes.get(name)?.spec?.controller === INGRESS_CONTROLLER;
}

async function ensureIngressClass(client: Client, name: string, classes: SharedInformer<IngressClass>): Promise<void> {
  if (name === '' || classes.get(name)) return;
  const hasDefault = classes.list().some(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS_ANNOTATION] === 'true');
  await client.resource('networking.k8s.io/v1/ingressclasses').create({
    metadata: { name, ...(hasDefault ? {} : { annotations: { [DEFAULT_CLASS_ANNOTATION]: 'true' } }) },
    spec: { controller: INGRESS_CONTROLLER },
  });
}

type IngressStatus = NonNullable<Ingress['status']>;

/** Ports are named where they are not those that every client expects. */
function statusFor({ address, httpPort, httpsPort }: IngressEndpoints): IngressStatus {
  const ports = [httpPort, httpsPort].map((port) => ({ port, protocol: 'TCP' }));
  const expected = httpPort === DEFAULT_INGRESS_CONFIG.httpPort && httpsPort === DEFAULT_INGRESS_CONFIG.httpsPort;
  return { loadBalancer: { ingress: [{ ip: address, ...(expected ? {} : { ports }) }] } };
}

interface StatusWrite {
  readonly classes: SharedInformer<IngressClass>;
  readonly status: IngressStatus;
  readonly signal: AbortSignal;
}

async function writeStatus(
  client: Client,
  ingress: Ingress | undefined,
  { classes, status, signal }: StatusWrite,
): Promise<void> {
  if (!ingress || !isOurs(ingress, classes) || deepEqual(ingress.status, status)) return;
  try {
    await client
      .resource('networking.k8s.io/v1/ingresses')
      .patch(splitKey(keyOf(ingress)), { status }, { type: 'merge', subresource: 'status', signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function openPorts(
  ctx: Context,
  { http, https }: { http: net.Server; https: net.Server },
  { config: { address, httpPort, httpsPort }, acquirePort }: IngressOptions,
): Promise<IngressEndpoints> {
  return {
    address,
    httpPort: await listenOnPortOrFree(ctx, http, { host: address, port: httpPort, acquirePort }),
    httpsPort: await listenOnPortOrFree(ctx, https, { host: address, port: httpsPort, acquirePort }),
  };
}

/** Ports that people try when the usual one is taken: 8080 and 8443. */
const ALTERNATIVE_OFFSET = 8000;

/** Falls back to a port above 8000, or a free one, and logs it, if the wanted port is in use or not permitted. */
async function listenOnPortOrFree(
  ctx: Context,
  server: net.Server,
  { host, port, acquirePort }: { host: string; port: number; acquirePort: IngressOptions['acquirePort'] },
): Promise<number> {
  for (const candidate of port === 0 ? [0] : [port, port + ALTERNATIVE_OFFSET, 0]) {
    try {
      const acquired = (await acquirePort?.({ host, port: candidate })) ?? candidate;
      const taken = await listen(server, host, acquired);
      if (candidate !== port) ctx.logger.warn('Ingress port is not available', { wanted: port, port: taken });
      return taken;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (candidate === 0 || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error;
    }
  }
  throw new Error('unreachable: a free port is always tried last');
}

function listen(server: net.Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as net.AddressInfo).port);
    });
  });
}
