/** A body as it comes in. Pieces of a few bytes each would be mostly pieces: many of them are copied together. */

/** Below that in the mean, pieces are copied. */
const SMALL_BYTES = 1024;
const FEW_PIECES = 16;
const GATHERED_BYTES = 4 * SMALL_BYTES;

export class BodyPieces {
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  /** The last piece is the beginning of it. */
  #gathered: Buffer | undefined;
  #used = 0;

  /** How many there are of them. */
  get count(): number {
    return this.#pieces.length;
  }

  add(piece: Buffer): void {
    const isGathered =
      this.#pieces.length >= FEW_PIECES &&
      this.#bytes < this.#pieces.length * SMALL_BYTES &&
      piece.length < GATHERED_BYTES;
    this.#bytes += piece.length;
    if (isGathered) return this.#gather(piece);
    this.#closeGathered();
    this.#pieces.push(piece);
  }

  /** All of it in one piece, which is not copied if it came as one. */
  whole(): Buffer {
    this.#closeGathered();
    return this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
  }

  #gather(piece: Buffer): void {
    if (this.#gathered && this.#used + piece.length > GATHERED_BYTES) this.#closeGathered();
    if (!this.#gathered) {
      this.#gathered = Buffer.allocUnsafeSlow(GATHERED_BYTES);
      this.#pieces.push(this.#gathered);
    }
    this.#used += piece.copy(this.#gathered, this.#used);
  }

  #closeGathered(): void {
    if (!this.#gathered) return;
    this.#pieces[this.#pieces.length - 1] = this.#gathered.subarray(0, this.#used);
    this.#gathered = undefined;
    this.#used = 0;
  }
}
