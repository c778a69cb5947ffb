/** What an answer is written to piece by piece: a response of HTTP/1.1. */
import type { Writable } from 'node:stream';
import type { ResponseSink } from '../request.ts';

export function writableSink(writable: Writable, signal: AbortSignal): ResponseSink {
  return {
    signal,
    write: (piece) => !writable.destroyed && writable.write(piece),
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
