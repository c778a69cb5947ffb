/** An API server that only lists: nodes and pods of a large cluster as Tables, made as they are asked for. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

export interface LargeApi {
  readonly server: string;
  /** How many requests it has answered. */
  readonly requests: number;
  /** Changes the status of a pod, as a watch tells it. */
  change(index: number, status: string): void;
  close(): Promise<void>;
}

const column = (name: string, priority = 0) => ({ name, type: 'string', format: '', description: name, priority });
const POD_COLUMNS = ['Name', 'Ready', 'Status', 'Restarts', 'Age'].map((name) => column(name));
const WIDE_COLUMNS = ['IP', 'Node', 'Nominated Node', 'Readiness Gates'].map((name) => column(name, 1));
const NODE_COLUMNS = ['Name', 'Status', 'Roles', 'Age', 'Version'].map((name) => column(name));
const CREATED = '2026-11-17T00:00:00Z';

const DISCOVERED = [
  ['pods', 'Pod', true],
  ['nodes', 'Node', false],
  ['namespaces', 'Namespace', false],
] as const;

const discovery = {
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  items: [
    {
      metadata: {},
      versions: [
        {
          version: 'v1',
          resources: DISCOVERED.map(([resource, kind, namespaced]) => ({
            resource,
            responseKind: { group: '', version: 'v1', kind },
            scope: namespaced ? 'Namespaced' : 'Cluster',
            verbs: ['get', 'list', 'watch'],
          })),
        },
      ],
    },
  ],
};

const rowOf = (name: string, cells: readonly unknown[], namespace?: string) => ({
  cells,
  object: {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: `uid-of-${name}`,
      resourceVersion: '1000',
      creationTimestamp: CREATED,
      labels: { app: 'web', 'pod-template-hash': '5d8f7c9b6d' },
    },
  },
});

function podRow(index: number, nodes: number, status?: string) {
  const failing = index % 50_000 === 7;
  const name = `web-${Math.floor(index / 30)}-5d8f7c9b6d-${index.toString(36).padStart(5, '0')}`;
  const cells = [
    name,
    failing ? '0/1' : '1/1',
    status ?? (failing ? 'CrashLoopBackOff' : 'Running'),
    failing ? '12 (5m ago)' : '0',
    '3h',
    `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    `node-${index % nodes}`,
    '<none>',
    '<none>',
  ];
  return rowOf(name, cells, `team-${index % 40}`);
}

export async function startLargeApi(size: { readonly nodes: number; readonly pods: number }): Promise<LargeApi> {
  const watches = new Set<WebSocket>();
  let requests = 0;
  const tableOf = (resource: string, from: number, limit: number) => {
    const total = resource === 'pods' ? size.pods : resource === 'nodes' ? size.nodes : 40;
    const to = Math.min(total, from + limit);
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, i) => {
      const at = from + i;
      if (resource === 'pods') return podRow(at, size.nodes);
      if (resource === 'nodes') return rowOf(`node-${at}`, [`node-${at}`, 'Ready', '<none>', '3h', 'v1.36.4']);
      return rowOf(`team-${at}`, [`team-${at}`, 'Active', '3h']);
    });
    return {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '1000', ...(to < total ? { continue: String(to) } : {}) },
      columnDefinitions: resource === 'pods' ? [...POD_COLUMNS, ...WIDE_COLUMNS] : NODE_COLUMNS,
      rows,
    };
  };
  const server = http.createServer((request, response) => {
    requests++;
    const url = new URL(request.url ?? '/', 'http://localhost');
    const resource = /^\/api\/v1\/(pods|nodes|namespaces)$/.exec(url.pathname)?.[1];
    const from = Number(url.searchParams.get('continue') ?? 0);
    const body =
      url.pathname === '/api'
        ? discovery
        : url.pathname === '/apis'
          ? { ...discovery, items: [] }
          : resource !== undefined
            ? tableOf(resource, from, Number(url.searchParams.get('limit') ?? 500))
            : undefined;
    request.resume();
    response
      .writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(body ?? { kind: 'Status', message: 'the large API only lists', code: 404 }));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (watch) => {
      if (!(request.url ?? '').includes('/pods')) return;
      watches.add(watch);
      watch.on('close', () => watches.delete(watch));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    change(index, status) {
      const object = { ...tableOf('pods', 0, 0), columnDefinitions: [], rows: [podRow(index, size.nodes, status)] };
      for (const watch of watches) watch.send(JSON.stringify({ type: 'MODIFIED', object }));
    },
    async close() {
      sockets.close();
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
