/**
 * Sends a body of many megabytes through a few small buffers that are reused. As a whole, each response would be memory
 * that the system has to clear and that triggers garbage collection.
 */
import type { LargeBody } from '../request/request.ts';

const BUFFER_BYTES = 256 * 1024;
/** Buffers of one response that the connection has not accepted yet. */
const BUFFERS_UNDER_WAY = 2;
const KEPT_BUFFERS = 32;

const free: Buffer[] = [];

export interface BufferWriter {
  /** The client is gone. */
  readonly closed: boolean;
  /** Resolves when the connection has accepted the first `length` bytes; the writer gives the buffer back. */
  write(buffer: Buffer, length: number): Promise<void>;
  end(): void;
  /** Aborts the response: a client must mistake it neither for a complete one nor for one that is still coming. */
  breakOff(): void;
}

/** Resolves when the connection has accepted everything. */
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
