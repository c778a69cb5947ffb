/**
 * Unpacks a layer: decompresses its blob, verifies the diff id, and unpacks the entries into a directory. Runs in a
 * worker thread, where file calls may block.
 */
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, createReadStream, lstatSync, mkdirSync, statfsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorMessage } from '../../../base/index.ts';
import { decompressed } from '../compression/decompress.ts';
import { TarError } from '../tar/tar-entry.ts';
import { readTar } from '../tar/tar-reader.ts';
import { LayerError } from './layer-error.ts';
import { EntryUnpacker } from './unpack-entry.ts';
import type { UnpackLimits } from './unpack-limits.ts';

export interface UnpackJob {
  readonly blob: string;
  readonly diffId: string;
  /** The directory to create. */
  readonly target: string;
  /** Directories of the layers below, the topmost first. */
  readonly lowers: readonly string[];
  readonly limits: UnpackLimits;
}

export interface UnpackedLayer {
  /** Bytes of its files' content. */
  readonly bytes: number;
  readonly inodes: number;
}

const FREE_SPACE_STEP = 64 * 1024 * 1024;

export async function unpackLayer(job: UnpackJob): Promise<UnpackedLayer> {
  makeRoot(job);
  const unpacker = new EntryUnpacker(job.target, job.lowers);
  const hash = createHash('sha256');
  const { size: compressedSize } = await stat(job.blob);
  const limits = new LimitChecker(job, compressedSize);
  const source = createReadStream(job.blob, { highWaterMark: 512 * 1024 });
  async function* verified(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of decompressed(source)) {
        limits.decompressed(chunk.length);
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      throw damaged(error);
    }
  }
  let bytes = 0;
  try {
    for await (const item of readTar(verified())) {
      limits.entry(item.entry.name, item.entry.size);
      try {
        await unpacker.unpack(item);
      } catch (error) {
        throw explained(error, item.entry.name);
      }
      bytes += item.entry.size;
    }
  } finally {
    source.destroy();
  }
  unpacker.finish();
  const diffId = `sha256:${hash.digest('hex')}`;
  if (diffId !== job.diffId)
    throw new LayerError(
      `wrong diff id calculated on extraction: got ${diffId}, the image's config says ${job.diffId}`,
    );
  return { bytes, inodes: unpacker.inodes };
}

/** The root directory has the owner and mode of the layer below, unless the layer has an entry for it. */
function makeRoot({ target, lowers: [below] }: UnpackJob): void {
  mkdirSync(target);
  const { uid, gid, mode } = below === undefined ? { uid: 0, gid: 0, mode: 0o755 } : lstatSync(below);
  chownSync(target, uid, gid);
  chmodSync(target, mode & 0o7777);
}

/** Enforces the unpack limits. */
class LimitChecker {
  #bytes = 0;
  #entries = 0;
  #nextSpaceCheck = 0;

  constructor(
    readonly job: UnpackJob,
    readonly compressedSize: number,
  ) {}

  entry(name: string, size: number): void {
    const { entries, layerBytes } = this.job.limits;
    if (++this.#entries > entries) throw new LayerError(`the layer has more than ${entries} entries`);
    if (size > layerBytes)
      throw new LayerError(`${JSON.stringify(name)} has ${size} bytes; a layer may have at most ${layerBytes}`);
  }

  decompressed(length: number): void {
    const { layerBytes, ratio, ratioFloorBytes, freeBytes } = this.job.limits;
    this.#bytes += length;
    if (this.#bytes > layerBytes) throw new LayerError(`the layer has more than ${layerBytes} bytes when decompressed`);
    if (this.#bytes > ratioFloorBytes && this.#bytes > this.compressedSize * ratio) {
      throw new LayerError(
        `the layer decompresses to more than ${ratio} times its size of ${this.compressedSize} bytes`,
      );
    }
    if (this.#bytes < this.#nextSpaceCheck) return;
    this.#nextSpaceCheck = this.#bytes + FREE_SPACE_STEP;
    const { bavail, bsize } = statfsSync(this.job.target);
    if (bavail * bsize < freeBytes)
      throw new LayerError(`no space left to unpack the layer: less than ${freeBytes} bytes are free`);
  }
}

/** Turns decompression errors into LayerErrors. */
function damaged(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isDamage = code.startsWith('Z_') || code === 'invalid-zstd';
  return isDamage && error instanceof Error
    ? new LayerError(`the layer cannot be decompressed: ${error.message}`)
    : error;
}

function explained(error: unknown, name: string): Error {
  if (error instanceof LayerError || error instanceof TarError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === 'ENAMETOOLONG')
    return new LayerError(`the name of an entry is too long: ${JSON.stringify(`${name.slice(0, 80)}…`)}`);
  return new Error(`${JSON.stringify(name)}: ${errorMessage(error)}`, {
    cause: error,
  });
}
