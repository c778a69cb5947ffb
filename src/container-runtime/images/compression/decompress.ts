/** Decompresses a gzip, zstd or plain stream, detected by its first bytes. */
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ByteReader } from '../tar/byte-reader.ts';
import { decompressZstd } from './zstd.ts';

type Compression = 'gzip' | 'zstd' | 'none';

export function detectCompression(start: Uint8Array): Compression {
  const [a, b, c, d] = start;
  if (a === 0x1f && b === 0x8b) return 'gzip';
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) return 'zstd';
  // A skippable frame may come before the first frame.
  if (a !== undefined && (a & 0xf0) === 0x50 && b === 0x2a && c === 0x4d && d === 0x18) return 'zstd';
  return 'none';
}

export async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source);
  try {
    const start: Buffer[] = [];
    for (let length = 0; length < 4;) {
      const piece = await reader.some(64 * 1024);
      if (piece.length === 0) break;
      start.push(piece);
      length += piece.length;
    }
    const stream = withStart(Buffer.concat(start), reader);
    const compression = detectCompression(Buffer.concat(start).subarray(0, 4));
    if (compression === 'gzip') yield* gunzipped(stream);
    else if (compression === 'zstd') yield* decompressZstd(stream);
    else yield* stream;
  } finally {
    await reader.close();
  }
}

async function* withStart(start: Buffer, rest: ByteReader): AsyncGenerator<Buffer> {
  if (start.length > 0) yield start;
  for (;;) {
    const piece = await rest.some(Number.MAX_SAFE_INTEGER);
    if (piece.length === 0) return;
    yield piece;
  }
}

async function* gunzipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const gunzip: Readable = pipeline(source, createGunzip({ chunkSize: 256 * 1024 }), () => {});
  yield* gunzip as AsyncIterable<Buffer>;
}
