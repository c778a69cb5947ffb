import * as zlib from 'node:zlib';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pipeline, type Readable, type Transform } from 'node:stream';

/** Node has zstd from 22.15 on. */
const native = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;

export async function* decompressZstd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  if (native !== undefined) {
    const plain: Readable = pipeline(source, native(), () => {});
    yield* plain as AsyncIterable<Buffer>;
    return;
  }
  const program = spawn('zstd', ['-d', '-c', '-q'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(program, 'close');
  pipeline(source, program.stdin, () => {});
  try {
    yield* program.stdout as AsyncIterable<Buffer>;
  } finally {
    program.kill();
  }
  const [code] = await ended;
  if (code !== 0) throw new Error('zstd failed');
}
