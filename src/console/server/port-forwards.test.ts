import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerToken } from '../../client/index.ts';
import { createContext } from '../../kernel/index.ts';
import { acceptWebSocket } from '../../net/websocket/index.ts';
import { ApiProxy } from './api-proxy.ts';
import { readTarget, type ForwardTarget } from './forward-target.ts';
import { PortForwards } from './port-forwards.ts';
import { Sessions, type Session } from './sessions.ts';

const READY = { conditions: [{ type: 'Ready', status: 'True' }] };
const POD = { metadata: { name: 'web', namespace: 'default' }, status: READY };
const SERVICE = {
  metadata: { name: 'web', namespace: 'default' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
};
const CONTAINERS = [{ name: 'main', image: 'web', ports: [{ name: 'http', containerPort: 8080 }] }];
const FORBIDDEN = { kind: 'Status', message: 'pods "secret" is forbidden', reason: 'Forbidden', code: 403 };

/** An API server whose pods answer with what they get, in capital letters, and close after an empty line. */
const paths: string[] = [];
const api = http.createServer((request, response) => {
  const path = request.url!.split('?')[0]!;
  const objects: Readonly<Record<string, object>> = {
    '/api/v1/namespaces/default/services/web': SERVICE,
    '/api/v1/namespaces/default/pods': { metadata: {}, items: [{ ...POD, spec: { containers: CONTAINERS } }] },
  };
  const found = objects[path];
  response
    .writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
    .end(
      JSON.stringify(
        found ?? { kind: 'Status', status: 'Failure', message: `no ${path}`, reason: 'NotFound', code: 404 },
      ),
    );
});
api.on('upgrade', (request: http.IncomingMessage, socket: net.Socket, head: Buffer) => {
  paths.push(`${request.headers.authorization} ${request.url}`);
  // As kube-apiserver does.
  if (!request.headers.origin) return void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
  if (request.url!.includes('/secret/')) {
    const body = JSON.stringify(FORBIDDEN);
    return void socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  }
  void acceptWebSocket({ request, socket, head }, 'v4.channel.k8s.io').then((pod) => {
    pod.send(Buffer.from([0, 0x90, 0x1f]));
    pod.send(Buffer.from([1, 0x90, 0x1f]));
    pod.on('message', (message: Buffer) => {
      const text = message.toString('latin1', 1);
      pod.send(Buffer.concat([Buffer.from([0]), Buffer.from(text.toUpperCase())]));
      if (text.includes('\n\n')) pod.close();
    });
    return undefined;
  });
});

const ctx = createContext();
const proxy = new ApiProxy();
let sessions: Sessions;
let forwards: PortForwards;

beforeAll(async () => {
  await once(api.listen(0, '127.0.0.1'), 'listening');
  const server = `http://127.0.0.1:${(api.address() as net.AddressInfo).port}`;
  sessions = new Sessions(ctx, { server, credentials: bearerToken('own'), namespace: 'default' });
  forwards = new PortForwards(ctx, { proxy, sessions });
});
afterAll(() => {
  forwards.closeAll();
  proxy.close();
  api.close().closeAllConnections();
});

function signIn(token: string): { session: Session; signOut(): void } {
  const opened = sessions.signInWithToken(token);
  return { session: sessions.find(opened)!, signOut: () => sessions.signOut(opened) };
}
const target = (kind: ForwardTarget['kind'], name: string, port: number): ForwardTarget => ({
  kind,
  namespace: 'default',
  name,
  port,
});

/** What comes back until the other side closes. */
async function talk(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (piece: Buffer) => (answer += piece.toString()));
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

describe('a forwarded port', () => {
  it('carries bytes both ways, as the user of the session', async () => {
    const { session } = signIn('mine');
    const { url } = await forwards.open(session, target('pods', 'web', 8080));
    expect(await talk(url, 'hello\n\n')).toBe('HELLO\n\n');
    expect(await talk(url, `${'a'.repeat(500_000)}\n\n`)).toHaveLength(500_002);
    expect(new Set(paths)).toEqual(new Set(['Bearer mine /api/v1/namespaces/default/pods/web/portforward?ports=8080']));
  });

  it('has a host of its own, where browsers do not send the cookie of the console', async () => {
    const { session } = signIn('mine');
    const { url } = await forwards.open(session, target('pods', 'web', 8080));
    const { hostname, port } = new URL(url);
    expect(hostname).toMatch(/^127\./);
    expect(hostname).not.toBe('127.0.0.1');
    await expect(talk(`http://127.0.0.1:${port}/`, 'hello')).rejects.toThrow('ECONNREFUSED');
  });

  it('leads to a ready pod of a Service, and to the port that the pod names', async () => {
    paths.length = 0;
    const { url } = await forwards.open(signIn('mine').session, target('services', 'web', 80));
    expect(await talk(url, 'x\n\n')).toBe('X\n\n');
    expect(paths.at(-1)).toContain('/pods/web/portforward?ports=8080');
    await expect(forwards.open(signIn('mine').session, target('services', 'web', 81))).rejects.toThrow('no port 81');
    await expect(forwards.open(signIn('mine').session, target('services', 'none', 80))).rejects.toThrow('no /api');
  });

  it('is not opened where the API server refuses it, in its words', async () => {
    const { session } = signIn('mine');
    await expect(forwards.open(session, target('pods', 'secret', 8080))).rejects.toThrow('pods "secret" is forbidden');
    expect(forwards.list(session)).toEqual([]);
  });

  it('is opened once for a session, and not for others to see or close', async () => {
    const [mine, other] = [signIn('mine').session, signIn('other').session];
    const forward = await forwards.open(mine, target('pods', 'web', 8080));
    expect(await forwards.open(mine, target('pods', 'web', 8080))).toEqual(forward);
    expect(forwards.list(other)).toEqual([]);
    forwards.close(other, forward.id);
    expect(forwards.list(mine)).toEqual([forward]);
    forwards.close(mine, forward.id);
    expect(forwards.list(mine)).toEqual([]);
    await expect(talk(forward.url, 'hello')).rejects.toThrow('ECONNREFUSED');
  });

  it('ends with its session', async () => {
    const { session, signOut } = signIn('mine');
    const { url } = await forwards.open(session, target('pods', 'web', 8080));
    signOut();
    expect(await talk(url, 'hello')).toBe('');
    await expect(talk(url, 'hello')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a target', () => {
  it.each([
    ['nothing', undefined],
    ['another kind', { kind: 'nodes', namespace: 'default', name: 'a', port: 80 }],
    ['no name', { kind: 'pods', namespace: 'default', name: '', port: 80 }],
    ['a port too high', { kind: 'pods', namespace: 'default', name: 'a', port: 65_536 }],
    ['a port in words', { kind: 'pods', namespace: 'default', name: 'a', port: '80' }],
  ])('is refused: %s', (_name, body) => {
    expect(() => readTarget(body)).toThrow(expect.objectContaining({ code: 400 }));
  });
});
