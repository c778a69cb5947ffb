/** The kubelet API of simulated nodes, on in-process connections: logs, pods, stats, exec. */
import type http from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Logger } from '../kernel/index.ts';
import { createHttpServer, splitTarget } from '../net/http/index.ts';
import { duplexPair } from './duplex-pair.ts';
import { serveExec } from './exec.ts';
import { serveLog } from './serve-log.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { kubeletMetrics, resourceMetrics, runningPods, statsSummary } from './usage.ts';

interface Response {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
}

type Route = (node: SimulatedNode, clock: Clock) => Response;

const json = (value: unknown): Response => ({ type: 'application/json', body: JSON.stringify(value) });

const ROUTES: ReadonlyMap<string, Route> = new Map(
  Object.entries<Route>({
    '/healthz': () => ({ body: 'ok' }),
    '/pods': (node) =>
      json({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: {},
        items: Array.from(node.pods.values(), (pod) => pod.object),
      }),
    '/runningpods/': (node) => json(runningPods(node)),
    '/metrics': (node) => ({ type: 'text/plain; version=0.0.4', body: kubeletMetrics(node) }),
    '/stats/summary': (node, clock) => json(statsSummary(node, clock.now())),
    '/metrics/resource': (node, clock) => ({
      type: 'text/plain; version=0.0.4',
      body: resourceMetrics(node, clock.now()),
    }),
  }),
);

export class KubeletApi {
  readonly #server: http.Server;
  readonly #connections = new Map<Duplex, string>();

  readonly #clock: Clock;
  readonly #nodeOf: (name: string) => SimulatedNode | undefined;

  constructor(clock: Clock, nodeOf: (name: string) => SimulatedNode | undefined, logger: Logger) {
    this.#clock = clock;
    this.#nodeOf = nodeOf;
    this.#server = createHttpServer({
      request: (request, response) => this.#serve(request, response),
      upgrade: (request, socket, head) => {
        const node = this.#nodeOf(this.#connections.get(socket) ?? '');
        if (node === undefined) return void socket.destroy();
        return serveExec(node, { request, socket, head });
      },
      failed: (error, { url }) =>
        logger.error(error, 'Failed to serve a request to a simulated kubelet', { path: url }),
    });
  }

  /** The body at a path of a node's kubelet; undefined without such a node or path. */
  read(nodeName: string, path: string): string | undefined {
    const node = this.#nodeOf(nodeName);
    return node && ROUTES.get(path)?.(node, this.#clock).body;
  }

  connect(nodeName: string): Duplex {
    const [client, server] = duplexPair();
    this.#connections.set(server, nodeName);
    server.once('close', () => this.#connections.delete(server));
    this.#server.emit('connection', server);
    return client;
  }

  close(): void {
    for (const connection of this.#connections.keys()) connection.destroy();
    this.#server.close();
  }

  #serve(request: http.IncomingMessage, response: http.ServerResponse): void {
    const node = this.#nodeOf(this.#connections.get(request.socket) ?? '');
    const { path, query } = splitTarget(request.url ?? '/');
    if (node === undefined) return respond(response, { status: 404, body: 'no such node' });
    const log = /^\/containerLogs\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path);
    if (log) {
      const [, namespace = '', name = '', container = ''] = log;
      const pod = node.pods.get(`${namespace}/${name}`);
      if (pod === undefined) return respond(response, { status: 404, body: `pod "${name}" does not exist` });
      return serveLog({ pod, container, query, response, clock: this.#clock });
    }
    const route = ROUTES.get(path) ?? ROUTES.get(`${path}/`);
    respond(
      response,
      route ? route(node, this.#clock) : { status: 404, body: `${path} is not served by a simulated node` },
    );
  }
}

function respond(response: http.ServerResponse, { status = 200, type = 'text/plain', body }: Response): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
