/**
 * How the two threads talk. Waking the other thread costs more than most requests do, so what is said within one turn of
 * the event loop goes as one message: a flat list of operations with their arguments, and one buffer with all the bytes
 * that these speak of.
 */
import type { MessagePort, Worker } from 'node:worker_threads';
import type { Clock } from '../../../kernel/index.ts';

export interface Batch {
  /** An operation, its arguments, the next operation, … Bytes are two arguments: where they begin, and how many they are. */
  readonly items: readonly unknown[];
  readonly bytes?: ArrayBuffer;
}

/** No turn collects more bytes than that before it passes them on. */
const ENOUGH_BYTES = 1024 * 1024;

export class Outbox {
  #items: unknown[] = [];
  #pieces: Uint8Array[] = [];
  #length = 0;
  /** Where the pieces begin that were given already. */
  readonly #places = new Map<Uint8Array, number>();
  #waiting = false;

  constructor(
    private readonly port: Pick<MessagePort | Worker, 'postMessage'>,
    private readonly clock: Clock,
  ) {}

  /** The operation's arguments follow; bytes by `bytes`. */
  say(operation: number, ...args: readonly (string | number | boolean | object)[]): void {
    this.#items.push(operation);
    for (const arg of args) this.#items.push(arg);
    if (!this.#waiting) {
      this.#waiting = true;
      void this.clock.yield().then(() => this.flush());
    }
  }

  bytes(piece: Uint8Array): void {
    this.#items.push(this.#length, piece.length);
    this.#add(piece);
  }

  /** An event goes to a thousand watchers as the same piece: it is passed on once. */
  sharedBytes(piece: Uint8Array): void {
    const known = this.#places.get(piece);
    if (known !== undefined) return void this.#items.push(known, piece.length);
    this.#places.set(piece, this.#length);
    this.bytes(piece);
  }

  #add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > ENOUGH_BYTES) this.flush();
  }

  /** A whole buffer that changes hands, after all that was said before. */
  hand(buffer: ArrayBuffer, ...operation: readonly number[]): void {
    this.flush();
    this.port.postMessage({ items: operation, bytes: buffer } satisfies Batch, [buffer]);
  }

  flush(): void {
    this.#waiting = false;
    if (this.#items.length === 0) return;
    const batch = { items: this.#items, bytes: this.#joined() };
    this.#items = [];
    this.port.postMessage(batch, batch.bytes ? [batch.bytes] : []);
  }

  #joined(): ArrayBuffer | undefined {
    if (this.#length === 0) return undefined;
    const joined = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    this.#length = 0;
    if (this.#places.size > 0) this.#places.clear();
    return joined.buffer;
  }
}

const NOTHING = Buffer.alloc(0);

/** Reads a batch as it was said: whoever reads knows what arguments an operation has. */
export class BatchReader {
  readonly buffer: Buffer;
  readonly #items: readonly unknown[];
  #at = 0;
  /** By where they begin. */
  #kept: Map<number, Buffer> | undefined;

  constructor({ items, bytes }: Batch) {
    this.#items = items;
    this.buffer = bytes ? Buffer.from(bytes) : NOTHING;
  }

  get done(): boolean {
    return this.#at >= this.#items.length;
  }

  next<T extends string | number | boolean | object>(): T {
    return this.#items[this.#at++] as T;
  }

  bytes(): Buffer {
    const from = this.next<number>();
    return this.buffer.subarray(from, from + this.next<number>());
  }

  /** The same bytes for who keeps them for long: a few of them must not keep the whole batch. Given once for all who want them. */
  kept(bytes: Buffer): Buffer {
    if (bytes.length * 2 > this.buffer.length) return bytes;
    let own = this.#kept?.get(bytes.byteOffset);
    if (own?.length !== bytes.length) {
      own = Buffer.from(bytes);
      (this.#kept ??= new Map()).set(bytes.byteOffset, own);
    }
    return own;
  }
}
