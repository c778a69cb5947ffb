import { tmpdir } from 'node:os';
import type { Context } from '../../kernel/index.ts';
import { defaultLimits } from '../check-request.ts';
import type { SpeedOptions } from '../speed-options.ts';
import type { Store } from '../store.ts';
import { type FrontContext, minorVersion } from './answers.ts';
import { authService, clusterService } from './cluster-service.ts';
import { encodeFrame, sharedEventFrames } from './encode-events.ts';
import type { Services } from './grpc-server.ts';
import { keyValueService } from './key-value-service.ts';
import { leaseService } from './lease-service.ts';
import { type Listener, type ListenerTls, listen } from './listener.ts';
import { maintenanceService } from './maintenance-service.ts';
import { watchService } from './watch-service.ts';

export interface EtcdFrontOptions {
  store: Store;
  /** Addresses to listen on, `http://host:port` or `https://host:port`; port 0 selects a free one. */
  listenClientUrls: readonly string[];
  /** The URLs that `member list` reports; the listening ones when absent. */
  advertiseClientUrls?: readonly string[];
  name?: string;
  /** Needed for https addresses. */
  tls?: ListenerTls;
  maxRequestBytes?: number;
  quotaBytes?: number;
  speed?: Partial<SpeedOptions>;
  /** Where the file of a snapshot is made until it has been sent; by default the system's folder for such files. */
  snapshotDirectory?: string;
}

export interface EtcdFront {
  /** The client URLs with their actual ports. */
  readonly urls: readonly string[];
  close(): Promise<void>;
}

/** etcd's allowance on top of the largest request for gRPC's overhead. */
const GRPC_OVERHEAD_BYTES = 512 * 1024;

/** Serves a store over etcd's v3 API until closed, or until the context's signal aborts. */
export async function serveEtcd(
  ctx: Pick<Context, 'clock' | 'logger' | 'signal'>,
  options: EtcdFrontOptions,
): Promise<EtcdFront> {
  const { store } = options;
  const status = await store.status();
  const maxRequestBytes = options.maxRequestBytes ?? defaultLimits.maxRequestBytes;
  const clientUrls: string[] = [...(options.advertiseClientUrls ?? [])];
  const front: FrontContext = {
    store,
    memberId: status.memberId,
    clusterId: status.clusterId,
    raftTerm: status.raftTerm,
    name: options.name ?? 'default',
    clientUrls,
    peerUrls: [],
    maxRequestBytes,
    quotaBytes: options.quotaBytes ?? 0,
    eventFrame: options.speed?.sharedEvents === false ? encodeFrame : sharedEventFrames(),
    snapshotDirectory: options.snapshotDirectory ?? tmpdir(),
  };
  const services: Services = {
    'etcdserverpb.KV': keyValueService(front),
    'etcdserverpb.Watch': watchService(front),
    'etcdserverpb.Lease': leaseService(front),
    'etcdserverpb.Maintenance': maintenanceService(front),
    'etcdserverpb.Cluster': clusterService(front),
    'etcdserverpb.Auth': authService(front),
  };
  const listeners: Listener[] = [];
  const urls: string[] = [];
  const closeAll = async (): Promise<void> => void (await Promise.all(listeners.map((listener) => listener.close())));
  try {
    for (const text of options.listenClientUrls) {
      const url = parseListenUrl(text, options.tls);
      const listener = await listen({
        ...url,
        clock: ctx.clock,
        services,
        maxMessageBytes: maxRequestBytes + GRPC_OVERHEAD_BYTES,
        page: (path) => page(front, path),
      });
      listeners.push(listener);
      urls.push(`${url.tls === undefined ? 'http' : 'https'}://${url.hostText}:${listener.port}`);
    }
  } catch (error) {
    await closeAll();
    throw error;
  }
  if (clientUrls.length === 0) clientUrls.push(...urls);
  ctx.logger.info('Serving the etcd v3 API', { urls });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll());
  ctx.signal.addEventListener('abort', () => void close(), { once: true });
  if (ctx.signal.aborted) await close();
  return { urls, close };
}

function parseListenUrl(text: string, tls: ListenerTls | undefined) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Error(
      `${JSON.stringify(text)} is not an address to listen on: it must be http://host:port or https://host:port`,
    );
  }
  if (url.protocol === 'https:' && tls === undefined) throw new Error(`${text} needs a certificate and its key`);
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    hostText: url.hostname,
    port,
    tls: url.protocol === 'https:' ? tls : undefined,
  };
}

async function page(front: FrontContext, path: string) {
  const { version } = await front.store.status();
  if (path === '/version') {
    const body = JSON.stringify({
      etcdserver: version,
      etcdcluster: minorVersion(version),
      storage: minorVersion(version),
    });
    return { status: 200, type: 'application/json', body };
  }
  if (path !== '/health') return undefined;
  const alarms = await front.store.alarms();
  const healthy = alarms.length === 0;
  const reason = healthy ? '' : `ALARM ${alarms[0]!.alarm.toUpperCase()}`;
  return {
    status: healthy ? 200 : 503,
    type: 'application/json',
    body: JSON.stringify({ health: String(healthy), reason }),
  };
}
