import { execFile, spawn, type ChildProcess } from 'node:child_process';
import http from 'node:http';
import net from 'node:net';
import type { RuntimeFixture } from './container-runtime-fixture.ts';

/** As much of an API server as kubectl needs to exec, attach and forward ports: it sends the streams to the runtime. */
export interface StreamGate {
  readonly url: string;
  close(): Promise<void>;
}

export interface GateTarget {
  readonly sandboxId: string;
  readonly containerId: string;
  readonly tty?: boolean;
  readonly stdin?: boolean;
}

const json = (value: unknown): string => JSON.stringify(value);

export async function startStreamGate(fixture: RuntimeFixture, target: GateTarget): Promise<StreamGate> {
  const sockets = new Set<net.Socket>();
  const server = http.createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const body = answers(target)[path];
    response
      .writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
      .end(json(body ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404, reason: 'NotFound' }));
  });
  server.on('upgrade', (request, client: net.Socket, head) => {
    sockets.add(client);
    client.on('error', () => {});
    void (async () => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const runtimeUrl = new URL(await runtimeUrlOf(fixture, target, url));
      const upstream = net.connect(Number(runtimeUrl.port), runtimeUrl.hostname);
      sockets.add(upstream);
      upstream.on('error', () => client.destroy());
      const headers = request.rawHeaders.reduce<string[]>(
        (lines, text, index, all) => (index % 2 === 0 ? [...lines, `${text}: ${all[index + 1]!}`] : lines),
        [],
      );
      upstream.write(`${request.method} ${runtimeUrl.pathname} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    })().catch(() => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function runtimeUrlOf(
  fixture: RuntimeFixture,
  { containerId, sandboxId }: GateTarget,
  url: URL,
): Promise<string> {
  const { runtime } = fixture.client;
  const flag = (name: string): boolean => url.searchParams.get(name) === 'true';
  const streams = { stdin: flag('stdin'), stdout: flag('stdout'), stderr: flag('stderr'), tty: flag('tty') };
  if (url.pathname.endsWith('/exec'))
    return (await runtime.exec({ containerId, cmd: url.searchParams.getAll('command'), ...streams })).url!;
  if (url.pathname.endsWith('/attach')) return (await runtime.attach({ containerId, ...streams })).url!;
  return (await runtime.portForward({ podSandboxId: sandboxId })).url!;
}

function answers({ tty = false, stdin = false }: GateTarget): Record<string, unknown> {
  const pod = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: { containers: [{ name: 'main', image: 'busybox', tty, stdin }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'main', ready: true, state: { running: {} } }] },
  };
  return {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
    '/api/v1': {
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [
        {
          name: 'pods',
          singularName: 'pod',
          namespaced: true,
          kind: 'Pod',
          verbs: ['get', 'list', 'watch'],
          shortNames: ['po'],
        },
      ],
    },
    '/api/v1/namespaces/default/pods/web': pod,
  };
}

/** WebSockets are kubectl's default; SPDY is what it used before. */
export type KubectlProtocol = 'websocket' | 'spdy';

function environment(protocol: KubectlProtocol): NodeJS.ProcessEnv {
  const value = protocol === 'websocket' ? 'true' : 'false';
  return {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    // As root, kubectl would make the directory above for its cache.
    KUBECACHEDIR: '/dev/null',
    KUBECTL_REMOTE_COMMAND_WEBSOCKETS: value,
    KUBECTL_PORT_FORWARD_WEBSOCKETS: value,
  };
}

export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The first message of a server, upstream's too, is empty and may come before kubectl has created its streams: on a busy
 * machine kubectl logs that it discards it.
 */
const EARLY_MESSAGE = /^E\d{4} .*Unknown stream id 1, discarding message\n/m;

export function kubectl(
  gate: StreamGate,
  protocol: KubectlProtocol,
  parameters: readonly string[],
  input?: string | Buffer,
): Promise<KubectlResult> {
  return new Promise((resolve) => {
    const child = execFile(
      'kubectl',
      ['--server', gate.url, ...parameters],
      { env: environment(protocol), timeout: 120_000, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr: stderr.replace(EARLY_MESSAGE, '') });
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

export function spawnKubectl(gate: StreamGate, protocol: KubectlProtocol, parameters: readonly string[]): ChildProcess {
  return spawn('kubectl', ['--server', gate.url, ...parameters], {
    env: environment(protocol),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
