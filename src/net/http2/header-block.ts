/** Headers that come in several frames. */
import { ConnectionError, ERROR } from './frames.ts';

const MOST_FRAMES = 256;

export class HeaderBlock {
  readonly #pieces: Buffer[];
  #bytes: number;

  constructor(
    readonly stream: number,
    readonly endStream: boolean,
    /** The stream's priority is none: it is refused once its headers have been decoded, which later blocks build on. */
    readonly selfDependent: boolean,
    first: Buffer,
  ) {
    this.#pieces = [first];
    this.#bytes = first.length;
  }

  add(piece: Buffer, mostBytes: number): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > mostBytes || this.#pieces.length > MOST_FRAMES)
      throw new ConnectionError(ERROR.enhanceYourCalm, 'too many headers');
  }

  whole(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
