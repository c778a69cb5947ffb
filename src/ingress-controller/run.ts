/** Follows Ingresses and what they name, serves them, and says where in their status. */
import type net from 'node:net';
import type { Ingress, IngressClass } from '../api/generated/networking-v1.ts';
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
import { IngressProxy, type Endpoint } from './proxy.ts';
import { buildRoutingTable, findBackend, type RoutingTable } from './routing-table.ts';

/** What an IngressClass names to be ours. */
const INGRESS_CONTROLLER = 'k8ts.dev/ingress';
const OLD_CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const DEFAULT_CLASS_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';

interface IngressConfig {
  readonly address: string;
  /** 0 takes a free one. */
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The IngressClass that is made, and is the default, if no other is; '' makes none. */
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
  /** How endpoints are reached; default over the host's own network. */
  readonly connect?: (endpoint: Endpoint) => net.Socket;
  readonly onReady?: (ports: { httpPort: number; httpsPort: number }) => void;
}

export async function run(ctx: Context, { client, config, connect, onReady }: IngressOptions): Promise<void> {
  const group = new RunGroup(ctx);
  const informers = new InformerFactory({ ...ctx, signal: group.signal }, { client });
  const ingresses = informers.informer('networking.k8s.io/v1/ingresses');
  const classes = informers.informer('networking.k8s.io/v1/ingressclasses');
  const secrets = informers.informer('v1/secrets', { fieldSelector: 'type=kubernetes.io/tls' });
  const picker = new EndpointPicker(informers, () => ctx.random.next());
  const certificates = new Certificates();
  let table: RoutingTable = buildRoutingTable([]);

  const mine = (): Ingress[] => ingresses.list().filter((ingress) => isMine(ingress, classes));
  const rebuild = (): void => {
    const ours = mine();
    table = buildRoutingTable(ours);
    certificates.update(
      ours,
      (key) => secrets.get(key),
      (message, secret) => ctx.logger.warn('A TLS Secret is not used', { secret, reason: message }),
    );
  };
  const queue = new WorkQueue<string>({ name: 'ingress', clock: ctx.clock, metrics: ctx.metrics });
  // Many changes at once cost one rebuild.
  const changed = (ingress?: Ingress): void => {
    queue.add('');
    if (ingress) queue.add(keyOf(ingress));
  };
  ingresses.addHandler({ onAdd: changed, onUpdate: (_before, after) => changed(after), onDelete: () => changed() });
  const all = (): void => ingresses.list().forEach(changed);
  classes.addHandler({ onAdd: all, onUpdate: all, onDelete: all });
  secrets.addHandler({ onAdd: () => changed(), onUpdate: () => changed(), onDelete: () => changed() });

  const proxies = (['http', 'https'] as const).map(
    (scheme) =>
      new IngressProxy({
        logger: ctx.logger,
        scheme,
        ...(connect ? { connect } : {}),
        route: (host, path) => {
          const backend = findBackend(table, host, path);
          return backend ? (picker.pick(backend) ?? 'unavailable') : 'not-found';
        },
      }),
  );
  const failed = (error: unknown): void => ctx.logger.error(error, 'A request for an Ingress could not be answered');
  const servers = [
    createHttpServer({ request: proxies[0]!.handle, upgrade: proxies[0]!.upgrade, failed }),
    createHttpsServer(
      { request: proxies[1]!.handle, upgrade: proxies[1]!.upgrade, failed },
      { SNICallback: (name, done) => done(null, certificates.find(name)), minVersion: 'TLSv1.2' },
    ),
  ];

  group.start('informers', () => informers.run());
  group.start('ingress', async (signal) => {
    await informers.waitForSync(signal);
    await makeClass(client, config.ingressClass, classes);
    rebuild();
    const httpPort = await listenSomewhere(ctx, servers[0]!, { host: config.address, port: config.httpPort });
    const httpsPort = await listenSomewhere(ctx, servers[1]!, { host: config.address, port: config.httpsPort });
    onReady?.({ httpPort, httpsPort });
    try {
      await runWorkers({
        queue,
        workers: 1,
        signal,
        logger: ctx.logger,
        isExpected: isConflict,
        handle: async (key) =>
          key === ''
            ? rebuild()
            : writeStatus(client, ingresses.get(key), { classes, address: config.address, signal }),
      });
    } finally {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      for (const proxy of proxies) proxy.close();
    }
  });
  await group.wait();
}

function isMine({ metadata, spec }: Ingress, classes: SharedInformer<IngressClass>): boolean {
  const name = spec?.ingressClassName ?? metadata.annotations?.[OLD_CLASS_ANNOTATION];
  return name !== undefined && classes.get(name)?.spec?.controller === INGRESS_CONTROLLER;
}

async function makeClass(client: Client, name: string, classes: SharedInformer<IngressClass>): Promise<void> {
  if (name === '' || classes.get(name)) return;
  const hasDefault = classes.list().some(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS_ANNOTATION] === 'true');
  await client.resource('networking.k8s.io/v1/ingressclasses').create({
    metadata: { name, ...(hasDefault ? {} : { annotations: { [DEFAULT_CLASS_ANNOTATION]: 'true' } }) },
    spec: { controller: INGRESS_CONTROLLER },
  });
}

async function writeStatus(
  client: Client,
  ingress: Ingress | undefined,
  { classes, address, signal }: { classes: SharedInformer<IngressClass>; address: string; signal: AbortSignal },
): Promise<void> {
  if (!ingress || !isMine(ingress, classes) || ingress.status?.loadBalancer?.ingress?.[0]?.ip === address) return;
  try {
    await client
      .resource('networking.k8s.io/v1/ingresses')
      .patch(
        splitKey(keyOf(ingress)),
        { status: { loadBalancer: { ingress: [{ ip: address }] } } },
        { type: 'merge', subresource: 'status', signal },
      );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Another program may have the port; Ingresses are then served on a free one, which the log tells. */
async function listenSomewhere(
  ctx: Context,
  server: net.Server,
  { host, port }: { host: string; port: number },
): Promise<number> {
  try {
    return await listen(server, host, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (port === 0 || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error;
    const taken = await listen(server, host, 0);
    ctx.logger.warn('The port for Ingresses is not free; they are served on another one', {
      wanted: port,
      port: taken,
    });
    return taken;
  }
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
