/**
 * How the two threads talk. Waking the other thread costs more than most requests do, so what is sent within one turn of the
 * event loop goes as one message: a flat list of operations with their arguments, and one buffer with all their bytes. Pays for
 * the bench rows `GET Pod` and `1,000 watchers: events delivered`.
 */
import type { MessagePort, Worker } from 'node:worker_threads';
import type { Clock } from '../../../kernel/index.ts';

export interface Batch {
  /** An operation, its arguments, the next operation, … Bytes are two arguments: their offset and their length. */
  readonly items: readonly unknown[];
  readonly bytes?: ArrayBuffer;
}

/** A turn that has collected more bytes than that sends them at once. */
const MAX_BATCH_BYTES = 1024 * 1024;

/** When an outbox sends: at the end of the turn of the event loop, or without batching as soon as the caller has finished. */
type FlushLater = () => Promise<void>;

export const endOfTurn =
  (clock: Clock): FlushLater =>
  () =>
    clock.yield();

/** Messages hold what one piece of code sends without waiting in between. */
export const unbatched: FlushLater = () => Promise.resolve();

export class Outbox {
  readonly #port: Pick<MessagePort | Worker, 'postMessage'>;
  readonly #flushLater: FlushLater;
  #items: unknown[] = [];
  #pieces: Uint8Array[] = [];
  #length = 0;
  /** Offsets of the pieces that this batch has already. */
  readonly #offsets = new Map<Uint8Array, number>();
  #willFlush = false;

  constructor(port: Pick<MessagePort | Worker, 'postMessage'>, flushLater: FlushLater) {
    this.#port = port;
    this.#flushLater = flushLater;
  }

  /** Bytes among the arguments come last, by `bytes`. */
  send(operation: number, ...args: readonly (string | number | boolean | object)[]): void {
    this.#items.push(operation);
    for (const arg of args) this.#items.push(arg);
    if (!this.#willFlush) {
      this.#willFlush = true;
      void this.#flushLater().then(() => this.flush());
    }
  }

  bytes(piece: Uint8Array): void {
    this.#items.push(this.#length, piece.length);
    this.#add(piece);
  }

  /** For pieces that many operations send, such as a watch event to a thousand watchers: the batch holds them once. */
  sharedBytes(piece: Uint8Array): void {
    const offset = this.#offsets.get(piece);
    if (offset !== undefined) return void this.#items.push(offset, piece.length);
    this.#offsets.set(piece, this.#length);
    this.bytes(piece);
  }

  #add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > MAX_BATCH_BYTES) this.flush();
  }

  /** Transfers a whole buffer, after everything that was sent before. */
  transfer(buffer: ArrayBuffer, ...operation: readonly number[]): void {
    this.flush();
    this.#port.postMessage({ items: operation, bytes: buffer } satisfies Batch, [buffer]);
  }

  flush(): void {
    this.#willFlush = false;
    if (this.#items.length === 0) return;
    const batch = { items: this.#items, bytes: this.#joined() };
    this.#items = [];
    this.#port.postMessage(batch, batch.bytes ? [batch.bytes] : []);
  }

  #joined(): ArrayBuffer | undefined {
    if (this.#length === 0) return undefined;
    const joined = new Uint8Array(this.#length);
    let offset = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, offset);
      offset += piece.length;
    }
    this.#pieces = [];
    this.#length = 0;
    if (this.#offsets.size > 0) this.#offsets.clear();
    return joined.buffer;
  }
}

const NOTHING = Buffer.alloc(0);

/** Reads a batch in the order in which it was sent; the reader knows the arguments of each operation. */
export class BatchReader {
  readonly buffer: Buffer;
  readonly #items: readonly unknown[];
  #next = 0;
  /** By offset. */
  #copies: Map<number, Buffer> | undefined;

  constructor({ items, bytes }: Batch) {
    this.#items = items;
    this.buffer = bytes ? Buffer.from(bytes) : NOTHING;
  }

  get done(): boolean {
    return this.#next >= this.#items.length;
  }

  next<T extends string | number | boolean | object>(): T {
    return this.#items[this.#next++] as T;
  }

  bytes(): Buffer {
    const offset = this.next<number>();
    return this.buffer.subarray(offset, offset + this.next<number>());
  }

  /** The bytes for a reader that keeps them for long: a few of them must not keep the whole batch. One copy serves all. */
  retained(bytes: Buffer): Buffer {
    if (bytes.length * 2 > this.buffer.length) return bytes;
    let copy = this.#copies?.get(bytes.byteOffset);
    if (copy?.length !== bytes.length) {
      copy = Buffer.from(bytes);
      (this.#copies ??= new Map()).set(bytes.byteOffset, copy);
    }
    return copy;
  }
}
