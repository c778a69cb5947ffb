/** A header block that arrives in HEADERS and CONTINUATION frames. */
import { ConnectionError, ERROR } from './frames.ts';

const MAX_FRAMES = 256;

export class HeaderBlock {
  readonly #pieces: Buffer[];
  #bytes: number;

  constructor(
    readonly stream: number,
    readonly endStream: boolean,
    /** The stream depends on itself. It is reset only after decoding, because later blocks build on the HPACK table. */
    readonly selfDependent: boolean,
    first: Buffer,
  ) {
    this.#pieces = [first];
    this.#bytes = first.length;
  }

  add(piece: Buffer, maxBytes: number): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > maxBytes || this.#pieces.length > MAX_FRAMES)
      throw new ConnectionError(ERROR.enhanceYourCalm, 'the header block is too large');
  }

  whole(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
