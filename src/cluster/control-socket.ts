/**
 * The control socket of a running cluster: JSON over HTTP on a unix socket that only its owner can open. The command
 * line uses it for what is not part of the Kubernetes API: the cluster's processes, nodes and store.
 */
import fs from 'node:fs/promises';
import type http from 'node:http';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pod } from '../api/generated/core-v1.ts';
import { errorMessage, isRecord } from '../base/index.ts';
import type { BuildProgress } from '../container-runtime/index.ts';
import type { IngressEndpoints } from '../ingress-controller/index.ts';
import type { Context } from '../kernel/index.ts';
import { createHttpServer, splitTarget } from '../net/http/index.ts';
import { forgetServer } from './discovery/index.ts';
import { OWN_CLIENT } from './faults/index.ts';
import { firstAnswer } from './first-answer.ts';
import { ADMIN, OWN_USER } from './identities.ts';
import {
  listEtcdSnapshots,
  saveEtcdSnapshot,
  snapshotDirectoryOf,
  type EtcdStatus,
  type ManagedEtcd,
} from './managed-etcd/index.ts';
import {
  buildImage,
  freeName,
  listImages,
  loadImage,
  loadImageFrom,
  pullImage,
  pushImage,
  type ImageNodes,
  type NodeFleet,
  type TransferOptions,
} from './node-fleet/index.ts';
import { readNodeRules } from './node-rules.ts';
import { rotateAuthorities, type RotationStep } from './rotate-authorities.ts';
import { createServerToken } from './server-join/index.ts';
import type { Cluster } from './start-cluster.ts';
import type { StoppedWork, WorkOutcome } from './stopped-work.ts';
import { storeWork } from './store-work.ts';

export interface ClusterStatus {
  readonly pid: number;
  readonly server: string;
  readonly kubeconfig: string | undefined;
  /** Where Ingresses are served. */
  readonly ingress?: IngressEndpoints;
  readonly uptimeSeconds: number;
  readonly residentBytes: number;
  readonly components: readonly { readonly name: string; readonly running: boolean }[];
  /** How the work ended that the cluster was stopped for. */
  readonly lastWork?: WorkOutcome;
  /** The members of an etcd that the cluster runs. */
  readonly etcd?: EtcdStatus & { readonly snapshots: number; readonly lastSnapshot?: string };
  /** Why nothing is known of nodes and objects. */
  readonly problem?: string;
  readonly nodes: readonly { readonly name: string; readonly kind: 'real' | 'simulated'; readonly ready: boolean }[];
  readonly objects: Readonly<Record<string, number>>;
}

interface Call {
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: URLSearchParams;
  readonly cluster: Cluster;
  readonly ctx: Context;
  readonly startedAt: number;
  /** The process that users see. */
  readonly pid: number;
  readonly stop: () => void;
  readonly pauseFor: ((work: StoppedWork) => void) | undefined;
  readonly outcome: WorkOutcome | undefined;
}

type Answer = object | { readonly stream: AsyncIterable<Uint8Array> };

/** Handlers by method and path; the result is sent as JSON. */
const ROUTES: ReadonlyMap<string, (call: Call) => Answer | Promise<Answer>> = new Map(
  Object.entries<(call: Call) => Answer | Promise<Answer>>({
    'GET /status': clusterStatus,
    'POST /stop': ({ stop }) => {
      stop();
      return { stopping: true };
    },
    'POST /nodes': async ({ body, cluster }) => {
      const [count, prefix, real] = [countOf(body), textOf(body, 'prefix'), body['real'] === true];
      if (real && !cluster.fleet)
        throw new Error(
          'no node of this cluster runs containers, and none can be added that does; add simulated ones with --simulated, or start the cluster with --nodes 1 or more; "k8ts doctor" says what that needs',
        );
      if (real) return { added: await addRealNodes(fleetOf(cluster), count) };
      return { added: await cluster.simulatedNodes.add({ count, ...(prefix ? { prefix } : {}) }) };
    },
    'DELETE /nodes': async ({ query, cluster }) => {
      const names = query.getAll('name');
      for (const name of names)
        await (cluster.fleet?.node(name) ? cluster.fleet.remove(name) : cluster.simulatedNodes.remove(name));
      return { removed: names };
    },
    'GET /images': async ({ cluster }) => ({ images: await listImages(imageNodesOf(cluster)) }),
    'POST /images/load': (call) => transfer(call, loadImage),
    'POST /images/push': (call) => transfer(call, pushImage),
    'POST /images/build': ({ body, cluster, ctx }) => ({ stream: buildLines(imageNodesOf(cluster), body, ctx) }),
    'POST /images/pull': (call) => transfer(call, pullImage),
    'POST /snapshot': ({ cluster }) => ({ stream: cluster.store.snapshot() }),
    'POST /certificates': async ({ body, cluster }) => {
      const wanted = Array.isArray(body['names']) ? (body['names'] as unknown[]) : [];
      const names = cluster.certificates.names.filter((name) => wanted.includes(name));
      await cluster.certificates.renew(names);
      return { renewed: names };
    },
    'POST /store': async ({ body, cluster, pauseFor }) => {
      if (!pauseFor) throw new Refusal(400, 'the store of this cluster cannot be changed while it runs');
      pauseFor(await storeWork(cluster, body));
      return { accepted: true };
    },
    'POST /authorities': async ({ body, cluster, ctx, pauseFor }) => {
      if (!pauseFor) throw new Refusal(400, 'the CAs of this cluster cannot be changed while it runs');
      const done = await rotateAuthorities(ctx, cluster, {
        step: textOf(body, 'step') as RotationStep,
        force: body['force'] === true,
      });
      // What is written is used by the next start.
      pauseFor(() => Promise.resolve(done));
      return { accepted: true };
    },
    'POST /etcd/snapshots': ({ cluster, ctx }) =>
      saveEtcdSnapshot(ctx, cluster.store, snapshotDirectoryOf(etcdOf(cluster).dataDirectory)),
    'DELETE /etcd/members': async ({ query, cluster }) => {
      const name = query.get('name') ?? '';
      await removeServer(cluster, name, query.get('force') === 'true');
      return { removed: name };
    },
    'POST /etcd/leave': async ({ cluster }) => {
      await etcdOf(cluster).leave();
      return { left: true };
    },
    'POST /server-tokens': async ({ body, cluster, ctx }) => {
      const members = (await cluster.etcd?.status())?.members ?? [];
      const { token, certificateKey } = await createServerToken(ctx, cluster.clientAs(ADMIN, 'k8ts', ctx.signal), {
        ttlMs: Number(body['ttlMs'] ?? 0),
        options: { ...cluster.options, port: cluster.apiServer.port },
        endpoints: members.filter(({ role }) => role !== 'learner').map(({ endpoint }) => endpoint),
      });
      return { token: `${token.id}.${token.secret}`, certificateKey };
    },
    'POST /first-answer': ({ body, cluster, ctx }) => {
      const [timeoutMs, parent] = [Number(body['timeoutMs'] ?? 60_000), Number(body['parent'] ?? 0)];
      return firstAnswer(ctx, {
        client: cluster.clientAs(OWN_USER, OWN_CLIENT, ctx.signal),
        fabric: fleetOf(cluster).fabric,
        namespace: textOf(body, 'namespace') ?? 'default',
        name: textOf(body, 'name') ?? '',
        timeoutMs,
        parent,
      });
    },
    'GET /node-rules': async ({ query, cluster, ctx }) => {
      const node = cluster.fleet?.fabric.nodes.get(query.get('node') ?? '');
      if (!node) throw new Refusal(404, `node ${query.get('node') ?? ''} has no kernel of its own here`);
      return readNodeRules(node.netnsPath, ctx.signal);
    },
    'GET /explain': ({ query, cluster }) => {
      const [namespace, name] = [query.get('namespace') ?? 'default', query.get('pod') ?? ''];
      const decision = cluster.schedulingDecision({ namespace, name });
      if (!decision) throw new Refusal(404, `the scheduler has not tried pod ${namespace}/${name} lately`);
      return decision;
    },
    'POST /fit': ({ body, cluster }) => {
      if (!isRecord(body['pod']) || !isRecord(body['pod']['metadata'])) throw new Refusal(400, 'pod must be a Pod');
      const fit = cluster.wouldFit(body['pod'] as unknown as Pod);
      if (!fit) throw new Refusal(503, 'no scheduler of this cluster runs in its process');
      return fit;
    },
  }),
);

/** The lines of a build: `{"output": text}` and `{"build": progress}` while it runs. */
function buildLines(fleet: ImageNodes, body: Call['body'], ctx: Context): AsyncGenerator<Uint8Array> {
  const dockerfile = textOf(body, 'dockerfile');
  const target = textOf(body, 'target');
  return lines(ctx, (send, signal) =>
    buildImage(fleet, {
      directory: textOf(body, 'directory') ?? '',
      tag: textOf(body, 'tag') ?? '',
      buildArguments: body['buildArguments'] as Record<string, string>,
      ...(dockerfile === undefined ? {} : { dockerfile }),
      ...(target === undefined ? {} : { target }),
      ...(body['noCache'] === true ? { noCache: true } : {}),
      signal,
      write: (output) => send({ output }),
      onProgress: oftenEnough(
        ctx,
        (build: BuildProgress) => send({ build }),
        ({ step }) => step,
      ),
    }),
  );
}

const PROGRESS_MS = 100;

/** Drops what comes too soon after the last, unless it is about something else. */
function oftenEnough<Progress>(
  ctx: Context,
  send: (progress: Progress) => void,
  about: (progress: Progress) => unknown = () => undefined,
): (progress: Progress) => void {
  let last: { readonly at: number; readonly about: unknown } | undefined;
  return (progress) => {
    const now = { at: ctx.clock.monotonic(), about: about(progress) };
    if (last && now.at - last.at < PROGRESS_MS && now.about === last.about) return;
    last = now;
    send(progress);
  };
}

/** The lines of a transfer: `{"progress": …}` while it runs. */
function transfer(
  { body, cluster, ctx }: Call,
  work: (fleet: ImageNodes, argument: string, options: TransferOptions) => Promise<string>,
): Answer {
  const fleet = imageNodesOf(cluster);
  const dockerConfig = textOf(body, 'dockerConfig');
  return {
    stream: lines(ctx, (send, signal) =>
      work(fleet, textOf(body, 'argument') ?? '', {
        ...(dockerConfig === undefined ? {} : { dockerConfig }),
        signal,
        onProgress: oftenEnough(ctx, (progress) => send({ progress })),
      }),
    ),
  };
}

/**
 * What long work on an image says, as lines of JSON, and at its end `{"image": text}` or `{"error": message}`. A caller that
 * goes away ends it.
 */
async function* lines(
  ctx: Context,
  work: (send: (line: object) => void, signal: AbortSignal) => Promise<string>,
): AsyncGenerator<Uint8Array> {
  const stopped = new AbortController();
  const written = new PassThrough({ objectMode: true });
  const send = (line: object): void => void written.write(Buffer.from(`${JSON.stringify(line)}\n`));
  const working = work(send, AbortSignal.any([ctx.signal, stopped.signal]))
    .then(
      (image) => send({ image }),
      (error: unknown) => send({ error: errorMessage(error) }),
    )
    .finally(() => written.end());
  try {
    yield* written as AsyncIterable<Uint8Array>;
  } finally {
    stopped.abort(new Error('nobody waits for the image any more'));
    await working;
  }
}

/** An upper bound for one request; every node is an object in memory. */
const MAX_NODES = 100_000;
/** Requests are small: files are passed by path. */
const MAX_BODY_BYTES = 1024 * 1024;

/** An error with its HTTP status. */
class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function countOf({ count = 1 }: Call['body']): number {
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > MAX_NODES) {
    throw new Refusal(400, `count must be a whole number from 0 to ${MAX_NODES}`);
  }
  return count;
}

function textOf(body: Call['body'], name: string): string | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.length > 4096)
    throw new Refusal(400, `${name} must be a text of at most 4096 characters`);
  return value;
}

/** A machine that is gone: its member, and what the cluster knows of its API server. */
async function removeServer(cluster: Cluster, name: string, force: boolean): Promise<void> {
  const etcd = etcdOf(cluster);
  const { members } = await etcd.status();
  const gone = members.find((member) => member.name === name || member.id === name);
  await etcd.removeMember(name, { force });
  if (gone && gone.endpoint !== '')
    await forgetServer(cluster.clientAs(ADMIN, 'k8ts'), new URL(gone.endpoint).hostname.replace(/^\[|\]$/g, ''));
}

function etcdOf({ etcd }: Cluster): ManagedEtcd {
  if (!etcd) throw new Refusal(404, 'this cluster runs no etcd; "k8ts store move etcd" moves it to one');
  return etcd;
}

const imageNodesOf = (cluster: Cluster): ImageNodes =>
  cluster.machine ? { nodes: [cluster.machine] } : fleetOf(cluster);

function fleetOf({ fleet }: Cluster): NodeFleet {
  if (!fleet)
    throw new Error(
      'no node of this cluster runs containers; start it with --nodes 1 or more; "k8ts doctor" says what that needs',
    );
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

async function clusterStatus({ cluster, ctx, startedAt, pid, outcome }: Call): Promise<ClusterStatus> {
  const client = cluster.clientAs(OWN_USER, OWN_CLIENT, ctx.signal);
  const count = async (resource: 'v1/namespaces' | 'v1/pods' | 'v1/services'): Promise<number> => {
    const { items, metadata } = await client.resource(resource).list({ limit: 1 });
    return items.length + (metadata.remainingItemCount ?? 0);
  };
  const content = async () => {
    const [{ items: nodes }, namespaces, pods, services] = await Promise.all([
      client.resource('v1/nodes').list({ resourceVersion: '0' }),
      count('v1/namespaces'),
      count('v1/pods'),
      count('v1/services'),
    ]);
    return { nodes, objects: { namespaces, pods, services } };
  };
  const [known, etcd] = await Promise.all([
    content().catch((error: unknown) => ({ nodes: [], objects: {}, problem: errorMessage(error) })),
    cluster.etcd && managedEtcdStatus(cluster.etcd),
  ]);
  return {
    pid,
    server: cluster.server,
    kubeconfig: cluster.kubeconfigFile,
    ...(cluster.ingress ? { ingress: cluster.ingress } : {}),
    uptimeSeconds: Math.round((ctx.clock.monotonic() - startedAt) / 1000),
    residentBytes: process.memoryUsage.rss(),
    components: [{ name: 'kube-apiserver', running: true }, ...cluster.components.states],
    ...(outcome ? { lastWork: outcome } : {}),
    ...(etcd ? { etcd } : {}),
    ...('problem' in known ? { problem: known.problem } : {}),
    nodes: known.nodes.map(({ metadata: { name = '' }, status }) => ({
      name,
      kind: cluster.simulatedNodes.has(name) ? 'simulated' : 'real',
      ready: status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false,
    })),
    objects: known.objects,
  };
}

async function managedEtcdStatus(etcd: ManagedEtcd): Promise<NonNullable<ClusterStatus['etcd']>> {
  const snapshots = listEtcdSnapshots(snapshotDirectoryOf(etcd.dataDirectory));
  const [last] = snapshots;
  return {
    ...(await etcd.status()),
    snapshots: snapshots.length,
    ...(last ? { lastSnapshot: last.time } : {}),
  };
}

/** Serves until the context ends. */
export async function serveControlSocket(
  ctx: Context,
  cluster: Cluster,
  options: {
    readonly socket: string;
    readonly stop: () => void;
    readonly pid?: number;
    /** Stops the cluster, does the work, and starts it again. */
    readonly pauseFor?: (work: StoppedWork) => void;
    readonly outcome?: WorkOutcome | undefined;
  },
): Promise<{ finished: Promise<void> }> {
  const startedAt = ctx.clock.monotonic();
  const { pid = process.pid } = options;
  await fs.rm(options.socket, { force: true });
  const serve = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    try {
      const { path, query } = splitTarget(request.url ?? '/');
      const route = ROUTES.get(`${request.method ?? 'GET'} ${path}`);
      if (request.method === 'POST' && path === '/images/archive') {
        send(response, 200, { image: await loadImageFrom(imageNodesOf(cluster), request) });
        return;
      }
      if (!route) throw new Refusal(404, `there is no ${path}`);
      const answer = await route({
        body: await readJson(request),
        query,
        cluster,
        ctx,
        startedAt,
        pid,
        stop: options.stop,
        pauseFor: options.pauseFor,
        outcome: options.outcome,
      });
      if ('stream' in answer) await pipeline(answer.stream as AsyncIterable<Uint8Array>, response);
      else send(response, 200, answer);
    } catch (error) {
      send(response, error instanceof Refusal ? error.status : 400, {
        error: errorMessage(error),
      });
    }
  };
  const server = createHttpServer({
    request: serve,
    failed: (error) => ctx.logger.error(error, 'A request on the control socket failed'),
  });
  /** The umask makes the socket private from its creation on. */
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
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > MAX_BODY_BYTES) throw new Refusal(413, `a request has at most ${MAX_BODY_BYTES} bytes`);
    pieces.push(piece as Buffer);
  }
  const text = Buffer.concat(pieces).toString();
  const value: unknown = text === '' ? {} : JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(400, 'the body must be a JSON object');
  return value as Record<string, unknown>;
}
