/** Reads a stream of chunks in pieces of requested lengths. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  #ended = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Up to `length` buffered bytes; empty at the end of the stream. */
  async some(length: number): Promise<Buffer> {
    if (this.#at === this.#chunk.length && !(await this.#next())) return Buffer.alloc(0);
    const piece = this.#chunk.subarray(this.#at, this.#at + length);
    this.#at += piece.length;
    return piece;
  }

  /** Exactly `length` bytes; undefined at the end of the stream. */
  async exactly(length: number, whenShort: () => Error): Promise<Buffer | undefined> {
    if (this.#chunk.length - this.#at >= length) {
      const piece = this.#chunk.subarray(this.#at, this.#at + length);
      this.#at += length;
      return piece;
    }
    const pieces: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      const piece = await this.some(missing);
      if (piece.length === 0) {
        if (missing === length) return undefined;
        throw whenShort();
      }
      pieces.push(piece);
      missing -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  /** Skips `length` bytes. */
  async skip(length: number, whenShort: () => Error): Promise<void> {
    let missing = length;
    while (missing > 0) {
      const piece = await this.some(missing);
      if (piece.length === 0) throw whenShort();
      missing -= piece.length;
    }
  }

  /** Reads to the end of the stream. */
  async drain(): Promise<void> {
    while ((await this.some(Number.MAX_SAFE_INTEGER)).length > 0);
  }

  async close(): Promise<void> {
    this.#ended = true;
    await this.#source.return?.();
  }

  async #next(): Promise<boolean> {
    while (!this.#ended) {
      const { value, done } = await this.#source.next();
      if (done === true) {
        this.#ended = true;
        break;
      }
      if (value.length === 0) continue;
      this.#chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      this.#at = 0;
      return true;
    }
    return false;
  }
}
