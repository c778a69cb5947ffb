/**
 * Streaming zstd decompression: Node's own from 22.15 on, this decoder on Node 20. It does not verify zstd's checksum,
 * because the layer's digest is verified.
 */
import { pipeline, type Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { ByteReader } from '../tar/byte-reader.ts';
import { ZstdError } from './zstd-bits.ts';
import { decodeBlock, MAX_BLOCK_BYTES, newFrameState, type FrameState, type Window } from './zstd-block.ts';

const FRAME = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
/** The zstd command has the same default limit. */
const MAX_WINDOW_BYTES = 128 * 1024 * 1024;
const WINDOW_SLACK_BYTES = 1024 * 1024;

const native = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;

export async function* decompressZstd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  if (native === undefined) {
    yield* decodeZstd(source);
    return;
  }
  const plain: Readable = pipeline(source, native(), () => {});
  yield* plain as AsyncIterable<Buffer>;
}

const truncated = (): ZstdError => new ZstdError('zstd data ends in the middle of a frame');

export async function* decodeZstd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source);
  try {
    for (;;) {
      const magic = await reader.exactly(4, truncated);
      if (magic === undefined) return;
      const number = magic.readUInt32LE();
      if (number === FRAME) yield* decodeFrame(reader);
      else if ((number & 0xfffffff0) === SKIPPABLE)
        await reader.skip((await take(reader, 4)).readUInt32LE(), truncated);
      else throw new ZstdError('this is not zstd data');
    }
  } finally {
    await reader.close();
  }
}

async function take(reader: ByteReader, length: number): Promise<Buffer> {
  if (length === 0) return Buffer.alloc(0);
  const bytes = await reader.exactly(length, truncated);
  if (bytes === undefined) throw truncated();
  return bytes;
}

async function* decodeFrame(reader: ByteReader): AsyncGenerator<Buffer> {
  const { windowSize, hasChecksum } = await readFrameHeader(reader);
  const state = newFrameState();
  const window: Window = { bytes: new Uint8Array(windowSize + WINDOW_SLACK_BYTES + MAX_BLOCK_BYTES), at: 0 };
  for (let last = false; !last;) {
    const header = (await take(reader, 3)).readUIntLE(0, 3);
    last = (header & 1) === 1;
    if (window.at > windowSize + WINDOW_SLACK_BYTES) {
      window.bytes.copyWithin(0, window.at - windowSize, window.at);
      window.at = windowSize;
    }
    const start = window.at;
    await readBlock(reader, { type: (header >> 1) & 3, size: header >> 3 }, { state, window });
    // A copy, because the window is reused while the caller still has the chunk.
    if (window.at > start) yield Buffer.from(window.bytes.subarray(start, window.at));
  }
  if (hasChecksum) await take(reader, 4);
}

async function readBlock(
  reader: ByteReader,
  { type, size }: { type: number; size: number },
  { state, window }: { state: FrameState; window: Window },
): Promise<void> {
  if (type === 3 || size > MAX_BLOCK_BYTES) throw new ZstdError('a block has an impossible header');
  if (type === 2) {
    decodeBlock(await take(reader, size), state, window);
    return;
  }
  if (type === 0) window.bytes.set(await take(reader, size), window.at);
  else window.bytes.fill((await take(reader, 1))[0] ?? 0, window.at, window.at + size);
  window.at += size;
}

async function readFrameHeader(reader: ByteReader): Promise<{ windowSize: number; hasChecksum: boolean }> {
  const descriptor = (await take(reader, 1))[0] ?? 0;
  if ((descriptor & 8) !== 0) throw new ZstdError('a frame has a reserved bit set');
  const single = (descriptor & 0x20) !== 0;
  let windowSize = 0;
  if (!single) {
    const byte = (await take(reader, 1))[0] ?? 0;
    const base = 2 ** (10 + (byte >> 3));
    windowSize = base + (base / 8) * (byte & 7);
  }
  const dictionary = await take(reader, [0, 1, 2, 4][descriptor & 3] ?? 0);
  if (dictionary.some((byte) => byte !== 0)) throw new ZstdError('a frame needs a dictionary');
  const sizeLength = [single ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const size = await take(reader, sizeLength);
  if (single)
    windowSize =
      sizeLength === 8 ? Number(size.readBigUInt64LE()) : size.readUIntLE(0, sizeLength) + (sizeLength === 2 ? 256 : 0);
  if (windowSize > MAX_WINDOW_BYTES)
    throw new ZstdError(`a frame needs ${windowSize} bytes of memory; at most ${MAX_WINDOW_BYTES} are given`);
  return { windowSize, hasChecksum: (descriptor & 4) !== 0 };
}
