/** Cuts the bytes of a connection into frames. */
import * as f from './frames.ts';

type OnFrame = (type: number, flags: number, stream: number, payload: Buffer) => void;

const NOTHING = Buffer.alloc(0);

export class FrameReader {
  #rest: Buffer = NOTHING;
  /** What the peer sends before its first frame: a client's preface, nothing from a server. */
  #preface: Buffer;

  constructor(preface: Buffer) {
    this.#preface = preface;
  }

  /** Calls `onFrame` for each whole frame until `isOver`; throws a ConnectionError when the bytes are no HTTP/2. */
  read(chunk: Buffer, onFrame: OnFrame, isOver: () => boolean): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    if (this.#preface.length > 0) {
      const length = Math.min(bytes.length, this.#preface.length);
      if (bytes.compare(this.#preface, 0, length, 0, length) !== 0)
        throw new f.ConnectionError(f.ERROR.protocol, 'bad connection preface');
      if (length < this.#preface.length) {
        this.#rest = bytes;
        return;
      }
      this.#preface = NOTHING;
      at = length;
    }
    while (bytes.length - at >= f.FRAME_HEADER_BYTES && !isOver()) {
      const length = bytes.readUIntBE(at, 3);
      if (length > f.MIN_MAX_FRAME_BYTES) throw new f.ConnectionError(f.ERROR.frameSize, 'frame is too large');
      const end = at + f.FRAME_HEADER_BYTES + length;
      if (bytes.length < end) break;
      const stream = bytes.readUInt32BE(at + 5) & f.MAX_WINDOW;
      onFrame(bytes[at + 3]!, bytes[at + 4]!, stream, bytes.subarray(at + f.FRAME_HEADER_BYTES, end));
      at = end;
    }
    this.#rest = bytes.subarray(at);
  }
}
