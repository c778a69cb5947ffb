import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '../kernel/index.ts';
import { serveControlSocket } from './control-socket.ts';

const directory = mkdtempSync(join(tmpdir(), 'k8ts-control-'));
const socketPath = join(directory, 'k8ts.sock');
const stop = new AbortController();
const added: object[] = [];
let finished: Promise<void>;

beforeAll(async () => {
  const cluster = { simulatedNodes: { add: (nodes: object) => (added.push(nodes), Promise.resolve([])) } };
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
  it('adds as many nodes as it is asked for, one by default', async () => {
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
