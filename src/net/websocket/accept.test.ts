import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHttpServer } from '../http/index.ts';
import { acceptWebSocket } from './accept.ts';

const HANDSHAKE =
  'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
/** All reserved bits, an opcode that nobody has given a meaning. */
const BROKEN_FRAME = Buffer.from([0xff, 0x80, 0, 0, 0, 0]);

const outcomes: string[] = [];
const server = createHttpServer({
  request: (_request, response) => void response.end(),
  upgrade: async (request, socket, head) => {
    try {
      const connection = await acceptWebSocket({ request, socket, head }, 'a/b');
      outcomes.push('accepted');
      connection.once('close', () => outcomes.push('closed'));
    } catch (error) {
      outcomes.push((error as Error).name);
    }
  },
  failed: (error) => void outcomes.push(String(error)),
});

beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')));
afterAll(() => server.close().closeAllConnections());
beforeEach(() => void (outcomes.length = 0));

async function send(bytes: Buffer | string): Promise<{ socket: net.Socket; answer(): string }> {
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1').on('error', () => {});
  let answer = '';
  socket.on('data', (piece: Buffer) => (answer += piece.toString('latin1')));
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, answer: () => answer };
}

describe('a WebSocket', () => {
  it('is accepted with any chosen protocol', async () => {
    const { socket, answer } = await send(`${HANDSHAKE}Sec-WebSocket-Protocol: a/b\r\n\r\n`);
    await expect.poll(answer).toContain('Sec-WebSocket-Protocol: a/b');
    socket.destroy();
    await expect.poll(() => outcomes).toEqual(['accepted', 'closed']);
  });

  it.each([
    ['in one piece with the handshake', true],
    ['after the handshake', false],
  ])('ends with a broken frame: %s', async (_name, together) => {
    const handshake = Buffer.from(`${HANDSHAKE}\r\n`);
    const { socket, answer } = await send(together ? Buffer.concat([handshake, BROKEN_FRAME]) : handshake);
    if (!together) {
      await expect.poll(answer).toContain('101 Switching Protocols');
      socket.write(BROKEN_FRAME);
    }
    await once(socket, 'close');
    await expect.poll(() => outcomes).toEqual(['accepted', 'closed']);
  });

  it('is refused without a key, and the promise rejects', async () => {
    const { socket, answer } = await send(`${HANDSHAKE.replace(/Sec-WebSocket-Key.*\r\n/, '')}\r\n`);
    await once(socket, 'close');
    expect(answer()).toContain('400 Bad Request');
    await expect.poll(() => outcomes).toEqual(['HandshakeRefused']);
  });
});
