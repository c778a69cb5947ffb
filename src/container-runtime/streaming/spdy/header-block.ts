/**
 * SPDY/3 header blocks: length-prefixed names and values, compressed with one zlib stream per direction.
 *
 *   count u32, then count × (length u32, name, length u32, value); several values of a name have NUL between them
 */
import zlib from 'node:zlib';
import { SPDY_DICTIONARY } from './dictionary.ts';

export type Headers = Readonly<Record<string, string>>;

const MAX_BLOCK_BYTES = 256 * 1024;

/** Decodes the header blocks of one connection, in order. */
export class HeaderDecoder {
  readonly #inflate = zlib.createInflate({ dictionary: SPDY_DICTIONARY });
  #output: Buffer[] = [];
  #size = 0;
  #failure: Error | undefined;

  constructor() {
    this.#inflate.on('data', (chunk: Buffer) => {
      this.#output.push(chunk);
      this.#size += chunk.length;
      // A few kilobytes can inflate to gigabytes, so inflating stops at the limit.
      if (this.#size > MAX_BLOCK_BYTES) this.#inflate.destroy(new Error('a header block is too large'));
    });
    this.#inflate.on('error', (error) => (this.#failure = error));
  }

  async decode(block: Buffer): Promise<Headers> {
    await new Promise<void>((resolve, reject) => {
      this.#inflate.once('error', reject);
      this.#inflate.write(block, (error) => {
        this.#inflate.off('error', reject);
        if (error) reject(error);
        else resolve();
      });
    });
    if (this.#failure) throw this.#failure;
    const text = Buffer.concat(this.#output);
    this.#output = [];
    this.#size = 0;
    return parseHeaders(text);
  }

  close(): void {
    this.#inflate.destroy();
  }
}

export function parseHeaders(block: Buffer): Headers {
  const headers: Record<string, string> = {};
  let at = 0;
  const number = (): number => {
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > block.length) throw new Error('a header block is cut off');
    at += length;
    return block.toString('utf8', at - length, at);
  };
  for (let left = number(); left > 0; left--) {
    const name = text().toLowerCase();
    headers[name] = text();
  }
  return headers;
}

/** Encodes the header blocks of one connection. They are only a few bytes, so they are stored uncompressed. */
export class HeaderEncoder {
  #begun = false;

  encode(headers: Headers): Buffer {
    const entries = Object.entries(headers);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(entries.length);
    const content = Buffer.concat([count, ...entries.flat().map(lengthPrefixed)]);
    const stream = Buffer.concat([
      ...(this.#begun ? [] : [ZLIB_HEADER]),
      storedBlock(content),
      storedBlock(Buffer.alloc(0)),
    ]);
    this.#begun = true;
    return stream;
  }
}

/** Deflate, window of 32 KB, no dictionary. */
const ZLIB_HEADER = Buffer.from([0x78, 0x01]);

/** An empty block acts as a sync flush. */
function storedBlock(content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(content.length, 1);
  head.writeUInt16LE(~content.length & 0xffff, 3);
  return Buffer.concat([head, content]);
}

function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
