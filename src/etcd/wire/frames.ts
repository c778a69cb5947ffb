import { gunzipSync } from 'node:zlib';
import { GrpcCode, GrpcError } from './status.ts';

/** Each gRPC message has a flag (compressed or not) and its length, four bytes, in front. */
export const FRAME_HEADER_BYTES = 5;

/** Fills in the header of a message that was encoded with `reserve: FRAME_HEADER_BYTES`, or of the first part of one. */
export function frame(message: Buffer, messageBytes = message.length - FRAME_HEADER_BYTES): Buffer {
  message[0] = 0;
  message.writeUInt32BE(messageBytes, 1);
  return message;
}

interface FrameLimits {
  maxMessageBytes: number;
  encoding: string;
}

/** Cuts a stream's bytes into messages. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #available = 0;
  readonly #limits: FrameLimits;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#available += chunk.length;
  }

  /** The next whole message, undefined while it has not fully arrived. */
  next(): Buffer | undefined {
    if (this.#available < FRAME_HEADER_BYTES) return undefined;
    const first = this.#joined(FRAME_HEADER_BYTES);
    const length = first.readUInt32BE(1);
    const { maxMessageBytes } = this.#limits;
    if (length > maxMessageBytes) {
      const message = `grpc: received message larger than max (${length} vs. ${maxMessageBytes})`;
      throw new GrpcError(GrpcCode.RESOURCE_EXHAUSTED, message);
    }
    const total = FRAME_HEADER_BYTES + length;
    if (this.#available < total) return undefined;
    const all = this.#joined(total);
    this.#chunks[0] = all.subarray(total);
    this.#available -= total;
    return this.#decompress(all[0]!, all.subarray(FRAME_HEADER_BYTES, total));
  }

  get incomplete(): boolean {
    return this.#available > 0;
  }

  #joined(bytes: number): Buffer {
    if (this.#chunks[0]!.length < bytes) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }

  #decompress(flag: number, message: Buffer): Buffer {
    if (flag === 0) return message;
    if (flag === 1 && this.#limits.encoding === 'gzip') {
      return gunzipSync(message, { maxOutputLength: this.#limits.maxMessageBytes });
    }
    const problem =
      flag === 1
        ? `grpc: Decompressor is not installed for grpc-encoding "${this.#limits.encoding}"`
        : `grpc: received unexpected payload format ${flag}`;
    throw new GrpcError(flag === 1 ? GrpcCode.UNIMPLEMENTED : GrpcCode.INTERNAL, problem);
  }
}
