/** Writes a response piece by piece on HTTP/2. */
import { HTTP2_ERROR, type Http2Stream } from '../../net/http2/index.ts';
import type { ResponseSink } from '../request/request.ts';
import type { Sending } from '../request/request.ts';
import { HIGH_WATER_BYTES, LOW_WATER_BYTES } from '../request/water-marks.ts';
import { giveBack, type BufferWriter } from './large-body.ts';

export function streamSink(stream: Http2Stream, signal: AbortSignal, sending: Sending): ResponseSink {
  let waiting: (() => void)[] = [];
  const taken = (bytes: number): void => {
    sending.took(bytes);
    if (stream.pendingBytes > LOW_WATER_BYTES || waiting.length === 0) return;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  return {
    signal,
    write(piece) {
      if (stream.closed) return false;
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      sending.wrote(bytes.length);
      stream.write(bytes, () => taken(bytes.length));
      return stream.pendingBytes <= HIGH_WATER_BYTES;
    },
    drained: () =>
      stream.pendingBytes > LOW_WATER_BYTES ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(),
    get pending() {
      return stream.pendingBytes;
    },
  };
}

export const bufferWriter = (stream: Http2Stream, sending: Sending): BufferWriter => ({
  get closed() {
    return stream.closed;
  },
  write: (buffer, length) =>
    new Promise((resolve) => {
      sending.wrote(length);
      stream.write(buffer.subarray(0, length), () => {
        sending.took(length);
        giveBack(buffer);
        resolve();
      });
    }),
  end: () => stream.end(),
  breakOff: () => stream.reset(HTTP2_ERROR.internal),
});
