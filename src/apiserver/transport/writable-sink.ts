/** What an answer is written to piece by piece: a response of HTTP/1.1. */
import type { Writable } from 'node:stream';
import type { ResponseSink } from '../request/request.ts';
import type { Sending } from '../request/request.ts';
import { giveBack, type BufferWriter } from './large-body.ts';

export function writableSink(writable: Writable, signal: AbortSignal, sending: Sending): ResponseSink {
  return {
    signal,
    write: (piece) => {
      if (writable.destroyed) return false;
      const { length } = piece;
      sending.wrote(length);
      return writable.write(piece, () => sending.took(length));
    },
    drained: () => (writable.writableNeedDrain && !writable.destroyed ? drainedOrClosed(writable) : Promise.resolve()),
    get pending() {
      return writable.writableLength;
    },
  };
}

const drainedOrClosed = (writable: Writable): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      writable.off('drain', done);
      writable.off('close', done);
      resolve();
    };
    writable.on('drain', done);
    writable.on('close', done);
  });

export const writableBuffers = (writable: Writable, sending: Sending): BufferWriter => ({
  get closed() {
    return writable.destroyed;
  },
  write: (buffer, length) =>
    new Promise((resolve) => {
      sending.wrote(length);
      writable.write(buffer.subarray(0, length), (error) => {
        sending.took(length);
        // What broke off may still be read from somewhere below.
        if (!error) giveBack(buffer);
        resolve();
      });
    }),
  end: () => void writable.end(),
  breakOff: () => void writable.destroy(),
});
