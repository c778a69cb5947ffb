/**
 * Sends a body of many megabytes through a few small buffers that are used again and again. Whole, each answer would be
 * memory that the system has to clear, and that the garbage collector is called for.
 */
import type { ServerHttp2Stream } from 'node:http2';
import type { LargeBody } from '../request.ts';

const BUFFER_BYTES = 256 * 1024;
/** Of one answer that the connection has not taken yet. */
const BUFFERS_UNDER_WAY = 2;
const KEPT_BUFFERS = 32;

const free: Buffer[] = [];

export async function sendLargeBody(body: LargeBody, stream: ServerHttp2Stream): Promise<void> {
  const fill = body.reader();
  const underWay: Promise<void>[] = [];
  for (;;) {
    const buffer = free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    const length = fill(buffer);
    if (length === 0 || stream.destroyed) {
      giveBack(buffer);
      break;
    }
    underWay.push(sent(stream, buffer, length));
    if (underWay.length >= BUFFERS_UNDER_WAY) await underWay.shift();
  }
  await Promise.all(underWay);
  if (!stream.destroyed) stream.end();
}

function sent(stream: ServerHttp2Stream, buffer: Buffer, length: number): Promise<void> {
  return new Promise((resolve) => {
    stream.write(buffer.subarray(0, length), (error) => {
      // What broke off may still be read from somewhere below.
      if (!error) giveBack(buffer);
      resolve();
    });
  });
}

function giveBack(buffer: Buffer): void {
  if (free.length < KEPT_BUFFERS) free.push(buffer);
}
