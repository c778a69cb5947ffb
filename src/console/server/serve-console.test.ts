import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKubeconfig } from '../../client/index.ts';
import { Cluster } from '../../index.ts';
import { createContext } from '../../kernel/index.ts';
import { serveConsole, type Console } from './serve-console.ts';

let cluster: Cluster;
let server: Console;
const stopping = new AbortController();
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-console-'));

beforeAll(async () => {
  cluster = await Cluster.start();
  const ctx = createContext({ signal: stopping.signal });
  const kubeconfig = path.join(directory, 'kubeconfig');
  fs.writeFileSync(kubeconfig, cluster.kubeconfig);
  fs.mkdirSync(path.join(directory, 'pages'));
  fs.writeFileSync(path.join(directory, 'pages', 'index.html'), '<meta content="STYLE_NONCE">');
  server = await serveConsole(ctx, {
    config: await loadKubeconfig({ clock: ctx.clock, file: kubeconfig }),
    port: 0,
    pages: path.join(directory, 'pages'),
    questions: {
      why: ({ query, body }) => Promise.resolve({ ...Object.fromEntries(query), ...body }),
    },
  });
});
afterAll(async () => {
  stopping.abort();
  await server.finished;
  await cluster.stop();
  fs.rmSync(directory, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: object;
}

/** By node:http, which sends any Host and Origin. */
function send(target: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path: target, method, headers };
    const request = http.request(options, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers, body: '' });
    });
    request.on('error', reject);
    request.end(body ? JSON.stringify(body) : undefined);
  });
}

const OURS = { 'x-k8ts-console': '1' };
const signIn = (body: object): Promise<Answer> => send('/session', { method: 'POST', headers: OURS, body });
const keyOf = (link: string): string => link.slice(link.indexOf('#key=') + '#key='.length);
const cookieOf = ({ headers }: Answer): string => headers['set-cookie']![0]!.split(';')[0]!;

const proofOf = ({ body }: Answer): string => (JSON.parse(body) as { proof: string }).proof;
const sessionOf = (answer: Answer): http.OutgoingHttpHeaders => ({
  'x-k8ts-console': proofOf(answer),
  cookie: cookieOf(answer),
});

const signedIn = async (): Promise<http.OutgoingHttpHeaders> =>
  sessionOf(await signIn({ key: keyOf(server.createLink()) }));

describe('signing in', () => {
  it('takes a link once, and gives a cookie that scripts and other sites do not get', async () => {
    const key = keyOf(server.createLink());
    const first = await signIn({ key });
    expect(first.status).toBe(200);
    expect(first.headers['set-cookie']![0]).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    const second = await signIn({ key });
    expect(second.status).toBe(401);
    expect(second.headers['set-cookie']).toBeUndefined();
  });

  it('takes no invented key or cookie', async () => {
    expect((await signIn({ key: 'A'.repeat(43) })).status).toBe(401);
    expect((await signIn({})).status).toBe(401);
    const headers = { ...OURS, cookie: `k8ts-console-${server.port}=${'A'.repeat(43)}` };
    expect((await send('/k8s/api/v1/namespaces', { headers })).status).toBe(401);
  });

  it('gives whoever has the cookie alone nothing: other ports of 127.0.0.1 get it, too', async () => {
    const { cookie } = await signedIn();
    expect((await send('/k8s/api/v1/namespaces', { headers: { ...OURS, cookie } })).status).toBe(401);
    expect(JSON.parse((await send('/session', { headers: { ...OURS, cookie } })).body)).toMatchObject({
      signedIn: false,
    });
    const other = await signedIn();
    expect((await send('/k8s/api/v1/namespaces', { headers: { ...other, cookie } })).status).toBe(401);
  });

  it('ends with the session', async () => {
    const headers = await signedIn();
    expect((await send('/k8s/api/v1/namespaces', { headers })).status).toBe(200);
    await send('/session', { method: 'DELETE', headers });
    expect((await send('/k8s/api/v1/namespaces', { headers })).status).toBe(401);
  });

  it('with a token acts as its user, not as the one of the kubeconfig', async () => {
    const headers = sessionOf(await signIn({ token: 'not-a-token' }));
    expect((await send('/k8s/api/v1/namespaces', { headers })).status).toBe(401);
  });
});

describe('foreign requests get nothing', () => {
  it.each([
    ['another Host (DNS rebinding)', { host: 'rebound.example' }],
    ['another port in Host', { host: '127.0.0.1:1' }],
    ['another Origin', { origin: 'http://evil.example' }],
    ['the Origin of a sandboxed frame', { origin: 'null' }],
    ['another site, by its fetch metadata', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
  ])('%s', async (_, headers) => {
    const answer = await send('/k8s/api/v1/namespaces', { headers: { ...(await signedIn()), ...headers } });
    expect(answer.status).toBe(403);
    expect(answer.body).not.toContain('kube-system');
  });

  it('requests that no script of ours sent', async () => {
    const { cookie } = await signedIn();
    expect((await send('/k8s/api/v1/namespaces', { headers: { cookie } })).status).toBe(403);
    expect((await send('/session', { method: 'POST', body: {} })).status).toBe(403);
  });

  it('WebSockets without our Origin', async () => {
    const { cookie, 'x-k8ts-console': proof } = await signedIn();
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      cookie,
    };
    const target = '/k8s/api/v1/namespaces?watch=true';
    expect((await send(target, { headers: upgrade })).status).toBe(403);
    expect((await send(target, { headers: { ...upgrade, origin: 'http://evil.example' } })).status).toBe(403);
    const ours = { ...upgrade, origin: `http://127.0.0.1:${server.port}` };
    expect((await send(target, { headers: ours })).status).toBe(403);
    const protocols = `console.k8ts.dev, proof.console.k8ts.dev.${String(proof)}`;
    const accepted = await send(target, { headers: { ...ours, 'sec-websocket-protocol': protocols } });
    expect(accepted.status).toBe(101);
    expect(accepted.headers['sec-websocket-protocol']).toBe('console.k8ts.dev');
  });
});

describe('the proxy', () => {
  it('passes no credentials or impersonation of the page on', async () => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const answer = await send('/k8s/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      headers: {
        ...(await signedIn()),
        'impersonate-user': 'someone',
        authorization: 'Bearer x',
        'content-type': 'application/json',
      },
      body,
    });
    expect(JSON.parse(answer.body)).toMatchObject({ status: { userInfo: { username: 'kubernetes-admin' } } });
  });

  it('answers with data that no browser runs', async () => {
    const { headers } = await send('/k8s/api/v1/namespaces', { headers: await signedIn() });
    expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox");
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each([
    '/k8s/api/v1/namespaces/a/pods/b/proxy/',
    '/k8s/api/v1/namespaces/a/services/b/proxy',
    '/k8s/api/v1/nodes/a/proxy/x',
  ])('does not open %s', async (target) => {
    expect((await send(target, { headers: await signedIn() })).status).toBe(403);
  });

  it.each(['/k8s/../secret', '/k8s//api', '/k8s/api/%2e%2e/x', '/nothing'])('knows no %s', async (target) => {
    expect((await send(target, { headers: await signedIn() })).status).toBe(404);
  });
});

it('serves the page with a strict policy and a fresh nonce', async () => {
  const [first, second] = [await send('/'), await send('/')];
  const policy = String(first.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-");
  expect(policy).not.toContain('unsafe');
  expect(first.body).not.toContain('STYLE_NONCE');
  expect(first.body).not.toBe(second.body);
});

it('asks why as the user who is signed in', async () => {
  expect((await send('/ask/why?reference=pod/a', { headers: OURS })).status).toBe(401);
  const answer = await send('/ask/why?reference=pod/a&namespace=b', { headers: await signedIn() });
  expect(JSON.parse(answer.body)).toEqual({ reference: 'pod/a', namespace: 'b' });
});
