import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { createContext, silentLogger } from '../kernel/index.ts';
import { KubeletApi } from './kubelet-api.ts';

const { clock } = createContext({ writeLog: () => {} });
const pod = {
  name: 'a',
  object: {},
  script: { exec: () => 'hello' },
  containers: [{ id: 'i', spec: { name: 'c' }, phase: { type: 'running' } }],
  logOf: () => ({
    lines: [
      { at: 1, text: 'one' },
      { at: 2, text: 'two' },
    ],
    follow: () => () => {},
  }),
};
const api = new KubeletApi(clock, () => ({ pods: new Map([['default/a', pod]]) }) as never, silentLogger);
afterEach(() => api.close());

async function answerTo(bytes: Buffer | string): Promise<string> {
  const connection = api.connect('sim-0');
  let answer = '';
  connection.on('data', (piece: Buffer) => (answer += piece.toString('latin1')));
  connection.on('error', () => {});
  connection.write(bytes);
  await Promise.race([once(connection, 'end'), once(connection, 'close')]);
  connection.destroy();
  return answer;
}

const get = (path: string): Promise<string> => answerTo(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
const LOG = '/containerLogs/default/a/c';
const HANDSHAKE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n';

describe('the kubelet API of a simulated node', () => {
  it.each([
    ['a log', `${LOG}?tailLines=1`, /200 OK[^]*two/],
    [
      'the log of an instance that there was not',
      `${LOG}?previous=true`,
      /400 Bad Request[^]*previous terminated container "c" in pod "a" not found/,
    ],
    ['a time that is none', `${LOG}?sinceTime=yesterday`, /400 Bad Request/],
    ['a number that is none', `${LOG}?limitBytes=x`, /400 Bad Request/],
    ['a target that is no URL', '//', /404 Not Found/],
    ['a name that every object has', '/constructor', /404 Not Found/],
  ])('answers %s', async (_name, path, answer) => {
    expect(await get(path)).toMatch(answer);
  });

  it('survives an upgrade with an invalid URL', async () => {
    expect(await answerTo(`GET // HTTP/1.1\r\nHost: x\r\n${HANDSHAKE}`)).toContain('404 Not Found');
  });

  it('survives an exec whose client violates the protocol at once', async () => {
    const broken = Buffer.concat([
      Buffer.from(`GET /exec/default/a/c?command=ls HTTP/1.1\r\nHost: x\r\n${HANDSHAKE}`),
      Buffer.from([0xff, 0x80, 0, 0, 0, 0]),
    ]);
    expect(await answerTo(broken)).toContain('101 Switching Protocols');
  });
});
