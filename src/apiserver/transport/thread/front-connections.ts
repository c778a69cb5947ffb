/** HTTP/1.1 connections in the front's thread: bytes, both ways. */
import type { TLSSocket } from 'node:tls';
import { peerOf } from '../peer.ts';
import type { BatchReader, Outbox } from './message-batch.ts';
import * as op from './operations.ts';

const NOTHING = new Uint8Array(0);

export class FrontConnections {
  readonly #outbox: Outbox;
  readonly #open = new Map<number, TLSSocket>();
  #last = 0;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  begin(socket: TLSSocket): void {
    const id = ++this.#last;
    const outbox = this.#outbox;
    this.#open.set(id, socket);
    const { remoteAddress, certificate } = peerOf(socket);
    outbox.send(op.CONNECTION, id, remoteAddress);
    outbox.bytes(certificate?.raw ?? NOTHING);
    socket.on('data', (bytes: Buffer) => {
      outbox.send(op.RECEIVED, id);
      outbox.bytes(bytes);
    });
    socket.once('end', () => outbox.send(op.RECEIVED_END, id));
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.#open.delete(id);
      outbox.send(op.CONNECTION_CLOSED, id);
    });
    socket.on('timeout', () => outbox.send(op.CONNECTION_IDLE, id));
  }

  /** False for an operation that is not on connections. */
  perform(operation: number, reader: BatchReader): boolean {
    if (operation < op.SEND || operation > op.IDLE_LIMIT) return false;
    const id = reader.next<number>();
    const socket = this.#open.get(id);
    switch (operation) {
      case op.SEND: {
        const bytes = reader.bytes();
        socket?.write(reader.retained(bytes), () => this.#outbox.send(op.CONNECTION_DRAINED, id));
        break;
      }
      case op.SEND_END:
        socket?.end();
        break;
      case op.DROP:
        if (socket?.writableEnded) socket.destroySoon();
        else socket?.destroy();
        break;
      case op.PAUSE:
        socket?.pause();
        break;
      case op.RESUME:
        socket?.resume();
        break;
      case op.IDLE_LIMIT: {
        const limit = reader.next<number>();
        // The HTTP/1.1 server sets the timeout on its socket, which is this one.
        socket?.setTimeout(limit);
        break;
      }
    }
    return true;
  }
}
