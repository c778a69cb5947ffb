/**
 * How the command line speaks to a running cluster: JSON over HTTP on a unix socket that only its owner can open. It is
 * for what is not part of the Kubernetes API: the cluster's processes, its nodes, its store.
 */
import fs from 'node:fs/promises';
import http from 'node:http';
import type { Context } from '../kernel/index.ts';
import { freeName, listImages, loadImage, pullImage, type NodeFleet } from './node-fleet/index.ts';
import type { Cluster } from './start-cluster.ts';

export interface ClusterStatus {
  readonly pid: number;
  readonly server: string;
  readonly kubeconfig: string | undefined;
  readonly uptimeSeconds: number;
  readonly residentBytes: number;
  readonly components: readonly { readonly name: string; readonly running: boolean }[];
  readonly nodes: readonly { readonly name: string; readonly kind: 'real' | 'simulated'; readonly ready: boolean }[];
  readonly objects: Readonly<Record<string, number>>;
}

interface Call {
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: URLSearchParams;
  readonly cluster: Cluster;
  readonly ctx: Context;
  readonly startedAt: number;
  readonly stop: () => void;
}

type Answer = object | { readonly stream: AsyncIterable<Uint8Array> };

/** Method and path; what it gives is sent as JSON. */
const ROUTES: Readonly<Record<string, (call: Call) => Answer | Promise<Answer>>> = {
  'GET /status': clusterStatus,
  'POST /stop': ({ stop }) => {
    stop();
    return { stopping: true };
  },
  'POST /nodes': async ({ body, cluster }) => {
    const { count = 1, prefix, real } = body as { count?: number; prefix?: string; real?: boolean };
    if (real && !cluster.fleet) throw new Error('no node of this cluster runs containers, and none can be added that does; add simulated ones with --simulated, or start the cluster as root with --nodes 1 or more');
    if (real) return { added: await addRealNodes(fleetOf(cluster), count) };
    return { added: await cluster.simulatedNodes.add({ count, ...(prefix ? { prefix } : {}) }) };
  },
  'DELETE /nodes': async ({ query, cluster }) => {
    const names = query.getAll('name');
    for (const name of names) await (cluster.fleet?.node(name) ? cluster.fleet.remove(name) : cluster.simulatedNodes.remove(name));
    return { removed: names };
  },
  'GET /images': async ({ cluster }) => ({ images: await listImages(fleetOf(cluster)) }),
  'POST /images/load': async ({ body, cluster }) => ({ image: await loadImage(fleetOf(cluster), String(body['argument'])) }),
  'POST /images/pull': async ({ body, cluster }) => ({ image: await pullImage(fleetOf(cluster), String(body['argument'])) }),
  'POST /snapshot': ({ cluster }) => ({ stream: cluster.store.snapshot() }),
  'GET /explain': ({ query, cluster }) => cluster.explain({ namespace: query.get('namespace') ?? 'default', name: query.get('pod') ?? '' }),
};

function fleetOf({ fleet }: Cluster): NodeFleet {
  if (!fleet) throw new Error('no node of this cluster runs containers; start it as root, with --nodes 1 or more');
  return fleet;
}

async function addRealNodes(fleet: NodeFleet, count: number): Promise<string[]> {
  const added: string[] = [];
  while (added.length < count) {
    const name = freeName(fleet.names);
    await fleet.add(name);
    added.push(name);
  }
  return added;
}

function clusterStatus({ cluster, ctx, startedAt }: Call): ClusterStatus {
  const { registry } = cluster.apiServer.door.backend;
  const nodes = registry.require('', 'v1', 'nodes').cache.list('').map(({ object }) => {
    const { metadata, status } = object as { metadata: { name?: string }; status?: { conditions?: { type: string; status: string }[] } };
    const name = metadata.name ?? '';
    return { name, kind: cluster.simulatedNodes.has(name) ? ('simulated' as const) : ('real' as const), ready: status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false };
  });
  const count = (plural: string): number => registry.require('', 'v1', plural).cache.list('').length;
  return {
    pid: process.pid,
    server: cluster.server,
    kubeconfig: cluster.kubeconfigFile,
    uptimeSeconds: Math.round((ctx.clock.monotonic() - startedAt) / 1000),
    residentBytes: process.memoryUsage.rss(),
    components: [{ name: 'kube-apiserver', running: true }, ...cluster.components.states],
    nodes,
    objects: { namespaces: count('namespaces'), pods: count('pods'), services: count('services') },
  };
}

/** Serves until the context ends. Gives when it has ended. */
export async function serveControlSocket(ctx: Context, cluster: Cluster, options: { socket: string; stop: () => void }): Promise<{ finished: Promise<void> }> {
  const startedAt = ctx.clock.monotonic();
  await fs.rm(options.socket, { force: true });
  const server = http.createServer((request, response) => {
    void (async () => {
      try {
        const url = new URL(request.url ?? '/', 'http://k8ts');
        const route = ROUTES[`${request.method ?? 'GET'} ${url.pathname}`];
        if (!route) return send(response, 404, { error: `there is no ${url.pathname}` });
        const answer = await route({ body: await readJson(request), query: url.searchParams, cluster, ctx, startedAt, stop: options.stop });
        if ('stream' in answer) {
          for await (const piece of answer.stream as AsyncIterable<Uint8Array>) response.write(piece);
          response.end();
        } else send(response, 200, answer);
      } catch (error) {
        send(response, 400, { error: error instanceof Error ? error.message : String(error) });
      }
    })();
  });
  /** Nobody but the owner may connect, from the first moment on. */
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(options.socket, resolve));
  } finally {
    process.umask(mask);
  }
  const finished = new Promise<void>((resolve) => {
    const close = (): void => {
      server.close(() => resolve());
      server.closeIdleConnections();
    };
    if (ctx.signal.aborted) close();
    else ctx.signal.addEventListener('abort', close, { once: true });
  });
  return { finished };
}

function send(response: http.ServerResponse, status: number, value: object): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(value));
}

async function readJson(request: http.IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString();
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
