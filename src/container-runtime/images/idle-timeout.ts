/** Idle timeouts of downloads from registries and of archive uploads. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Clock, Timer } from '../../kernel/index.ts';
import { ImageError } from './image-error.ts';

const DEFAULT_IDLE_TIMEOUT_MS = 60_000;

export interface IdleTimeout {
  readonly clock: Clock;
  /** Default `DEFAULT_IDLE_TIMEOUT_MS`. */
  readonly idleTimeoutMs?: number;
}

/** Destroys a request, or its response, when no bytes move for the timeout. Returns a function that stops the watch. */
export function abortWhenIdle(
  outgoing: ClientRequest,
  { clock, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS }: IdleTimeout,
): () => void {
  let lastBytes = -1;
  /**
   * Destroyed instead of the request, so that its reader gets the reason and can resume as after a broken connection.
   */
  let answer: IncomingMessage | undefined;
  outgoing.once('response', (response) => (answer = response));
  let timer: Timer = { cancel: () => {} };
  const check = (): void => {
    const now = (outgoing.socket?.bytesRead ?? 0) + (outgoing.socket?.bytesWritten ?? 0);
    if (now === lastBytes)
      (answer ?? outgoing).destroy(
        Object.assign(new Error(`no data for ${idleTimeoutMs / 1000} s`), {
          code: answer === undefined ? 'ETIMEDOUT' : 'ECONNRESET',
        }),
      );
    else timer = clock.after(idleTimeoutMs, check);
    lastBytes = now;
  };
  check();
  const stop = (): void => timer.cancel();
  outgoing.once('close', stop);
  return stop;
}

/** Reads a stream; fails when the next chunk does not arrive within the timeout. */
export async function* readWithIdleTimeout(
  stream: Readable,
  { clock, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS }: IdleTimeout,
): AsyncGenerator<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      const timer = clock.after(idleTimeoutMs, () =>
        stream.destroy(new ImageError('UNAVAILABLE', `no data for ${idleTimeoutMs / 1000} s`)),
      );
      let next: IteratorResult<Uint8Array>;
      try {
        next = await chunks.next();
      } finally {
        timer.cancel();
      }
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    stream.destroy();
  }
}
