/** An HTTP/1.1 connection of the front's thread: its bytes come and go as messages. */
import { Duplex } from 'node:stream';
import type { BatchReader, Outbox } from './message-batch.ts';
import * as op from './operations.ts';

export class RemoteSockets {
  readonly #outbox: Outbox;
  readonly #accept: (socket: RemoteSocket) => void;
  readonly #open = new Map<number, RemoteSocket>();

  constructor(outbox: Outbox, accept: (socket: RemoteSocket) => void) {
    this.#outbox = outbox;
    this.#accept = accept;
  }

  /** The front is gone, and with it all connections. */
  closeAll(): void {
    for (const socket of this.#open.values()) socket.gone();
    this.#open.clear();
  }

  /** False for an operation that is not on connections. */
  perform(operation: number, reader: BatchReader): boolean {
    if (operation < op.CONNECTION || operation > op.CONNECTION_IDLE) return false;
    const id = reader.next<number>();
    const socket = this.#open.get(id);
    switch (operation) {
      case op.CONNECTION: {
        const opened = new RemoteSocket(
          id,
          {
            remoteAddress: reader.next<string>(),
            certificate: Buffer.from(reader.bytes()),
          },
          this.#outbox,
        );
        this.#open.set(id, opened);
        this.#accept(opened);
        break;
      }
      case op.RECEIVED: {
        const bytes = reader.bytes();
        socket?.received(bytes);
        break;
      }
      case op.RECEIVED_END:
        socket?.received(null);
        break;
      case op.CONNECTION_DRAINED:
        socket?.drained();
        break;
      case op.CONNECTION_CLOSED:
        this.#open.delete(id);
        socket?.gone();
        break;
      case op.CONNECTION_IDLE:
        socket?.emit('timeout');
        break;
    }
    return true;
  }
}

interface Peer {
  readonly remoteAddress: string;
  /** Empty when the client sent none. */
  readonly certificate: Buffer;
}

/** As much of a TLS socket as HTTP/1.1 servers, WebSockets and proxies use. */
class RemoteSocket extends Duplex {
  readonly #id: number;
  readonly #outbox: Outbox;
  readonly encrypted = true;
  readonly remoteAddress: string;
  readonly #certificate: Buffer;
  #open = true;
  #paused = false;
  readonly #written: ((error?: Error) => void)[] = [];

  constructor(id: number, { remoteAddress, certificate }: Peer, outbox: Outbox) {
    super();
    this.#id = id;
    this.#outbox = outbox;
    this.remoteAddress = remoteAddress;
    this.#certificate = certificate;
  }

  getPeerCertificate(): { raw: Buffer } {
    return { raw: this.#certificate };
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  readonly setTimeout = (milliseconds: number, onTimeout?: () => void): this => {
    this.#send(op.IDLE_LIMIT, milliseconds);
    if (onTimeout) this.once('timeout', onTimeout);
    return this;
  };

  override _read(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#send(op.RESUME);
  }

  received(bytes: Buffer | null): void {
    if (this.push(bytes) || this.#paused || bytes === null) return;
    this.#paused = true;
    this.#send(op.PAUSE);
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#written.push(done);
    this.#send(op.SEND);
    this.#outbox.sharedBytes(bytes);
  }

  drained(): void {
    this.#written.shift()?.();
  }

  override _final(done: () => void): void {
    this.#send(op.SEND_END);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#open) this.#send(op.DROP);
    this.#open = false;
    for (const written of this.#written.splice(0)) written(error ?? new Error('the connection is closed'));
    done(error);
  }

  /** The front has closed the connection. */
  gone(): void {
    this.#open = false;
    this.destroy();
  }

  #send(operation: number, ...args: readonly number[]): void {
    this.#outbox.send(operation, this.#id, ...args);
  }
}
