/**
 * Passes bytes between two connections until both have ended. When one side ends, the other gets what is still on its
 * way and then its end (a half-close), and has a while to finish: the last bytes of a stream, such as a WebSocket's
 * close frame, arrive. What comes from a side whose peer takes nothing anymore is read and dropped: a connection that
 * is closed with unread bytes is reset, and would lose what was sent on it.
 */
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../../kernel/index.ts';

export interface JoinOptions {
  readonly clock: Clock;
  /** Ends both at once. */
  readonly signal: AbortSignal;
}

/** How long after the first end of either side both are closed. */
export const LINGER_MS = 10_000;

export function joinConnections(client: Duplex, backend: Duplex, { clock, signal }: JoinOptions): void {
  let timer: Timer | undefined;
  const destroy = (): void => {
    client.destroy();
    backend.destroy();
  };
  // The signal aborts also because the client is gone: then the backend still gets what the client had sent.
  const abort = (): void => {
    if (!client.destroyed) destroy();
  };
  const onEnd = (): void => {
    timer ??= clock.after(LINGER_MS, destroy);
  };
  const onClose = (): void => {
    if (!client.destroyed || !backend.destroyed) return;
    timer?.cancel();
    signal.removeEventListener('abort', abort);
  };
  for (const [from, to] of [
    [client, backend],
    [backend, client],
  ] as const) {
    from.on('error', () => from.destroy());
    pass(from, to, onEnd);
    from.once('close', onClose);
  }
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  onClose();
}

function pass(from: Duplex, to: Duplex, onEnd: () => void): void {
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    if (to.writable) to.end();
    onEnd();
  };
  from.on('data', (bytes: Buffer) => {
    if (!to.writable || to.write(bytes)) return;
    from.pause();
    to.once('drain', () => from.resume());
  });
  to.once('close', () => from.resume());
  from.once('end', end);
  from.once('close', end);
  if (from.destroyed) end();
  else from.resume();
}

/**
 * For a connection whose last answer has been written: reads on without looking, until the peer closes or time is up.
 */
export function closeAfterAnswer(connection: Duplex, clock: Clock): void {
  connection.on('error', () => connection.destroy());
  connection.once('finish', () => {
    const timer = clock.after(LINGER_MS, () => connection.destroy());
    connection.once('close', () => timer.cancel());
    connection.on('data', () => undefined);
    connection.once('end', () => connection.destroy());
    connection.resume();
  });
}
