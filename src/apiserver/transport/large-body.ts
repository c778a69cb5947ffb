/**
 * Sends a body of many megabytes through a few small buffers that are used again and again. Whole, each answer would be
 * memory that the system has to clear, and that the garbage collector is called for.
 */
import type { LargeBody } from '../request/request.ts';

const BUFFER_BYTES = 256 * 1024;
/** Of one answer that the connection has not taken yet. */
const BUFFERS_UNDER_WAY = 2;
const KEPT_BUFFERS = 32;

const free: Buffer[] = [];

export interface BufferWriter {
  /** Nobody reads it any more. */
  readonly closed: boolean;
  /** Resolves when the connection has taken the first `length` bytes; whoever then has the buffer gives it back. */
  write(buffer: Buffer, length: number): Promise<void>;
  end(): void;
  /** Half an answer must not look like one that is still coming, nor like a whole one. */
  breakOff(): void;
}

/** Resolves when the connection has taken all of it. */
export async function sendLargeBody(body: LargeBody, writer: BufferWriter): Promise<void> {
  try {
    await sendAll(body, writer);
  } catch (error) {
    writer.breakOff();
    throw error;
  }
}

async function sendAll(body: LargeBody, writer: BufferWriter): Promise<void> {
  const fill = body.reader();
  const underWay: Promise<void>[] = [];
  for (;;) {
    if (body.turn && !writer.closed) await body.turn();
    const buffer = free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    const length = fill(buffer);
    if (length === 0 || writer.closed) {
      giveBack(buffer);
      break;
    }
    underWay.push(writer.write(buffer, length));
    if (underWay.length >= BUFFERS_UNDER_WAY) await underWay.shift();
  }
  await Promise.all(underWay);
  if (!writer.closed) writer.end();
}

export function giveBack(buffer: Buffer): void {
  if (free.length < KEPT_BUFFERS) free.push(buffer);
}
