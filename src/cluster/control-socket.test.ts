import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../apiserver/testing/index.ts';
import { Client } from '../client/index.ts';
import { createContext } from '../kernel/index.ts';
import { serveControlSocket } from './control-socket.ts';
import { ADMIN } from './identities.ts';
import { inProcessTransport } from './in-process-transport.ts';

const directory = mkdtempSync(join(tmpdir(), 'k8ts-control-'));
const socketPath = join(directory, 'k8ts.sock');
const stop = new AbortController();
const added: object[] = [];
let finished: Promise<void>;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  const { signal, clock } = server.ctx;
  const transport = inProcessTransport({ handle: server.pipeline.handle, user: ADMIN, signal });
  const cluster = {
    clientAs: () => new Client({ transport, clock }),
    components: { states: [] },
    simulatedNodes: {
      add: (nodes: object) => (added.push(nodes), Promise.resolve([])),
      has: (name: string) => name.startsWith('sim'),
    },
  };
  ({ finished } = await serveControlSocket(
    createContext({ signal: stop.signal, writeLog: () => {} }),
    cluster as never,
    { socket: socketPath, stop: () => {} },
  ));
});
beforeEach(() => void (added.length = 0));
afterAll(async () => {
  stop.abort();
  await finished;
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

function ask(method: string, path: string, body = ''): Promise<{ status: number; error?: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, method, path, agent: false }, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () => resolve({ status: response.statusCode!, ...(JSON.parse(text) as object) }));
    });
    request.on('error', reject).end(body);
  });
}

describe('the control socket', () => {
  it('counts objects and lists the nodes that are Ready', async () => {
    const node = (name: string, status: string) =>
      server.call('POST', '/api/v1/nodes', {
        body: { metadata: { name }, status: { conditions: [{ type: 'Ready', status }] } },
      });
    await node('sim-1', 'True');
    await node('worker', 'False');
    expect(await ask('GET', '/status')).toMatchObject({
      status: 200,
      nodes: [
        { name: 'sim-1', kind: 'simulated', ready: true },
        { name: 'worker', kind: 'real', ready: false },
      ],
      objects: { namespaces: 4, pods: 0, services: 1 },
    });
  });

  it('adds the requested number of nodes, one by default', async () => {
    await ask('POST', '/nodes', '{"count": 3, "prefix": "a"}');
    await ask('POST', '/nodes');
    expect(added).toEqual([{ count: 3, prefix: 'a' }, { count: 1 }]);
  });

  it.each([
    ['a number of nodes that never ends', 'POST', '/nodes', '{"count": 1e12}', 400, /whole number/],
    ['less than no nodes', 'POST', '/nodes', '{"count": -1}', 400, /whole number/],
    ['a number that is none', 'POST', '/nodes', '{"count": "many"}', 400, /whole number/],
    ['a prefix that is no text', 'POST', '/nodes', '{"prefix": {}}', 400, /prefix must be a text/],
    [
      'a prefix without end',
      'POST',
      '/nodes',
      JSON.stringify({ prefix: 'x'.repeat(5000) }),
      400,
      /prefix must be a text/,
    ],
    ['a body that is no object', 'POST', '/nodes', '[]', 400, /must be a JSON object/],
    ['nothing', 'POST', '/nodes', 'null', 400, /must be a JSON object/],
    ['a body that is no JSON', 'POST', '/nodes', '{"count":', 400, /JSON/],
    ['a body that is too large', 'POST', '/nodes', `"${'x'.repeat(2 * 1024 * 1024)}"`, 413, /at most/],
    ['a path that nobody knows', 'GET', '//', '', 404, /there is no \/\//],
    ['a name that every object has', 'GET', '/constructor', '', 404, /there is no/],
  ])('refuses %s', async (_name, method, path, body, status, message) => {
    const answer = await ask(method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.error).toMatch(message);
    expect(added).toEqual([]);
  });
});
