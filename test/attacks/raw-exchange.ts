/** Bytes to a port and what came back: below every client library. */
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

export type Dial = () => Promise<net.Socket>;

/** Resolves when connected; rejects when nobody listens. */
export const dialTcp =
  (port: number, host = '127.0.0.1'): Dial =>
  () =>
    connected(net.connect({ port, host }), 'connect');
export const dialSocket =
  (path: string): Dial =>
  () =>
    connected(net.connect({ path }), 'connect');
export const dialTls =
  (port: number, options: tls.ConnectionOptions = {}): Dial =>
  () =>
    connected(tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }), 'secureConnect');

const CONNECT_LIMIT_MS = 20_000;

async function connected(socket: net.Socket, event: string): Promise<net.Socket> {
  await once(socket, event, { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) });
  socket.on('error', () => {});
  return socket;
}

/** Long enough for an answer that comes at all: most requests get theirs within a few milliseconds. */
const QUIET_MS = 25;
const FIRST_MS = 60;

/** Sends, listens until the other side hangs up or has been quiet for a while, and hangs up. */
export async function exchange(
  dial: Dial,
  pieces: Iterable<Buffer | string>,
  { pauseMs = 0, firstMs = FIRST_MS } = {},
): Promise<Buffer> {
  const socket = await dial();
  const received: Buffer[] = [];
  let lastAt = 0;
  socket.on('data', (bytes: Buffer) => {
    received.push(bytes);
    lastAt = performance.now();
  });
  for (const piece of pieces) {
    if (socket.destroyed) break;
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain').catch(() => {}), sleep(500)]);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  const sentAt = performance.now();
  while (!socket.destroyed && !socket.readableEnded) {
    const now = performance.now();
    if (lastAt === 0 ? now - sentAt > firstMs : now - lastAt > QUIET_MS && now - sentAt > QUIET_MS) break;
    await sleep(5);
  }
  socket.destroy();
  return Buffer.concat(received);
}

/** The statuses of all answers of HTTP/1.1. */
export const statusesIn = (answer: Buffer): number[] =>
  Array.from(answer.toString('latin1').matchAll(/(?:^|\n)HTTP\/1\.[01] (\d{3})/g), ([, status]) => Number(status));
