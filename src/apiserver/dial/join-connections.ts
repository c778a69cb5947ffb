/**
 * Copies bytes between two connections until both have ended. When one side ends, the other is half-closed after all
 * pending bytes, and has some time to finish, so that the last bytes (a WebSocket close frame) arrive. Bytes for a side
 * that no longer accepts any are read and dropped: to close a connection with unread bytes resets it, and loses what was
 * sent on it.
 */
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../../kernel/index.ts';

interface JoinOptions {
  readonly clock: Clock;
  /** Closes both connections. */
  readonly signal: AbortSignal;
}

/** Both connections are closed this long after the first one ends. */
export const LINGER_MS = 10_000;

export function joinConnections(client: Duplex, backend: Duplex, { clock, signal }: JoinOptions): void {
  let timer: Timer | undefined;
  const destroy = (): void => {
    client.destroy();
    backend.destroy();
  };
  // The signal also aborts when the client disconnects: then the backend must still get the client's last bytes.
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

/** After the last response: drains the connection until the peer closes it, or until a timeout. */
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
