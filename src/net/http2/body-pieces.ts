/** A request body as it arrives. Many tiny chunks are copied together, because each Buffer costs more than its bytes. */

/** Chunks are copied together while their mean size is below this. */
const SMALL_BYTES = 1024;
const FEW_PIECES = 16;
const GATHERED_BYTES = 4 * SMALL_BYTES;

export class BodyPieces {
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  /** The buffer that tiny chunks are copied into; it is the last piece. */
  #gathered: Buffer | undefined;
  #used = 0;

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

  /** The whole body; a single piece is returned without a copy. */
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
