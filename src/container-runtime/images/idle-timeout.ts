/** Whoever sends nothing for a long time is given up, by the kernel's clock: registries, and writers of archives. */
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

/** Ends the request, or the download that it has become, when nothing has come or gone for as long as the limit says. What is given back ends the watch. */
export function abortWhenIdle(
  outgoing: ClientRequest,
  { clock, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS }: IdleTimeout,
): () => void {
  let moved = -1;
  /** Whoever reads it should hear the reason; to go on from there is as with a connection that broke. */
  let answer: IncomingMessage | undefined;
  outgoing.once('response', (response) => (answer = response));
  let timer: Timer = { cancel: () => {} };
  const look = (): void => {
    const now = (outgoing.socket?.bytesRead ?? 0) + (outgoing.socket?.bytesWritten ?? 0);
    if (now === moved)
      (answer ?? outgoing).destroy(
        Object.assign(new Error(`no data for ${idleTimeoutMs / 1000} s`), {
          code: answer === undefined ? 'ETIMEDOUT' : 'ECONNRESET',
        }),
      );
    else timer = clock.after(idleTimeoutMs, look);
    moved = now;
  };
  look();
  const stop = (): void => timer.cancel();
  outgoing.once('close', stop);
  return stop;
}

/** What the stream has, until it ends; it fails when the next piece does not come within the limit. */
export async function* readWithIdleTimeout(
  stream: Readable,
  { clock, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS }: IdleTimeout,
): AsyncGenerator<Uint8Array> {
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      const timer = clock.after(idleTimeoutMs, () =>
        stream.destroy(new ImageError('UNAVAILABLE', `no data for ${idleTimeoutMs / 1000} s`)),
      );
      let next: IteratorResult<Uint8Array>;
      try {
        next = await pieces.next();
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
