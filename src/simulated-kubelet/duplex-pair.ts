/** An in-process connection: what is written to one end is read from the other. */
import { Duplex } from 'node:stream';

export function duplexPair(): [Duplex, Duplex] {
  const ends: End[] = [];
  const left = new End(() => ends[1]!);
  const right = new End(() => ends[0]!);
  ends.push(left, right);
  return [left, right];
}

class End extends Duplex {
  #waiting: (() => void) | undefined;

  readonly #other: () => End;

  constructor(other: () => End) {
    super();
    this.#other = other;
  }

  override _read(): void {
    const resume = this.#waiting;
    this.#waiting = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.#other().#deliver(chunk, callback);
  }

  override _final(callback: () => void): void {
    this.#other().#deliver(null, callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const other = this.#other();
    if (!other.destroyed) process.nextTick(() => other.destroy());
    callback(error);
  }

  #deliver(chunk: Buffer | null, callback: () => void): void {
    if (this.destroyed) return callback();
    if (this.push(chunk) || chunk === null) callback();
    else this.#waiting = callback;
  }
}
