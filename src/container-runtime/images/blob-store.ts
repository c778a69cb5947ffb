/**
 * Content-addressed store of image blobs. A blob is visible only when it is complete, verified and on disk. An
 * interrupted download resumes where it stopped, also after a restart.
 */
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../kernel/index.ts';
import { digestOf, hashFor, parseDigest } from './digest.ts';
import { ImageError } from './image-error.ts';

/** Reads a blob from an offset; a source that cannot resume there returns the offset where it starts. */
export interface BlobSource {
  (
    offset: number,
    signal?: AbortSignal,
  ): Promise<{ readonly start: number; readonly content: AsyncIterable<Uint8Array> }>;
}

export interface WantedBlob {
  readonly digest: string;
  readonly size: number;
}

interface FetchOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (received: number) => void;
}

export class BlobStore {
  readonly #folder: string;
  readonly #ingest: string;
  /** Downloads in progress, which concurrent pulls of the same blob share. */
  readonly #running = new Map<string, Promise<void>>();
  /** Removals in progress; a blob that is being removed does not count as present. */
  readonly #removing = new Map<string, Promise<void>>();
  #unnamed = 0;

  private constructor(root: string) {
    this.#folder = join(root, 'blobs');
    this.#ingest = join(root, 'ingest');
  }

  static async open(root: string): Promise<BlobStore> {
    const store = new BlobStore(root);
    await makeDirectory(store.#folder, { mode: 0o700 });
    await makeDirectory(store.#ingest, { mode: 0o700 });
    for (const name of await readdir(store.#ingest)) {
      if (name.startsWith('unnamed-')) await rm(join(store.#ingest, name), { force: true });
    }
    return store;
  }

  path(digest: string): string {
    const { algorithm, hex } = parseDigest(digest);
    return join(this.#folder, algorithm, hex);
  }

  async has({ digest, size }: { digest: string; size?: number }): Promise<boolean> {
    try {
      await this.#removing.get(digest);
      const found = await stat(this.path(digest));
      return size === undefined || found.size === size;
    } catch {
      return false;
    }
  }

  async read(digest: string): Promise<Buffer> {
    return readFile(this.path(digest));
  }

  /** Stores content from memory. */
  async put(content: Uint8Array): Promise<string> {
    const digest = digestOf(content);
    if (await this.has({ digest, size: content.length })) return digest;
    const temporary = this.#temporary();
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await this.#commit(temporary, digest);
    return digest;
  }

  /** Stores a stream whose digest is not known in advance; calls `onDigest` before the blob becomes visible. */
  async add(content: AsyncIterable<Uint8Array>, onDigest: (digest: string) => void): Promise<WantedBlob> {
    const temporary = this.#temporary();
    const hash = createHash('sha256');
    let size = 0;
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        for await (const chunk of content) {
          hash.update(chunk);
          await writeFully(file, chunk, size);
          size += chunk.length;
        }
        await file.sync();
      } finally {
        await file.close();
      }
      const digest = `sha256:${hash.digest('hex')}`;
      onDigest(digest);
      await this.#commit(temporary, digest);
      return { digest, size };
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Fetches a blob from the source unless the store has it. */
  async fetch(wanted: WantedBlob, source: BlobSource, options: FetchOptions = {}): Promise<void> {
    for (;;) {
      options.signal?.throwIfAborted();
      if (await this.has(wanted)) return;
      const running = this.#running.get(wanted.digest);
      if (running === undefined) break;
      // The caller that started the download may cancel it; then this caller downloads.
      await running.catch(() => {});
    }
    const run = this.#download(wanted, source, options).finally(() => this.#running.delete(wanted.digest));
    this.#running.set(wanted.digest, run);
    await run;
  }

  async list(): Promise<{ digest: string; size: number }[]> {
    const found: { digest: string; size: number }[] = [];
    for (const algorithm of await readdir(this.#folder)) {
      for (const hex of await readdir(join(this.#folder, algorithm))) {
        const { size } = await stat(join(this.#folder, algorithm, hex));
        found.push({ digest: `${algorithm}:${hex}`, size });
      }
    }
    return found;
  }

  async remove(digest: string): Promise<void> {
    const removal = rm(this.path(digest), { force: true }).finally(() => this.#removing.delete(digest));
    this.#removing.set(digest, removal);
    await removal;
  }

  /** Deletes partial downloads that are not in progress. */
  async removeUnfinished(): Promise<void> {
    const busy = new Set([...this.#running.keys()].map((digest) => partName(digest)));
    for (const name of await readdir(this.#ingest)) {
      if (name.endsWith('.part') && !busy.has(name)) await rm(join(this.#ingest, name), { force: true });
    }
  }

  async #download(wanted: WantedBlob, source: BlobSource, { signal, onProgress }: FetchOptions): Promise<void> {
    const part = join(this.#ingest, partName(wanted.digest));
    const file = await open(part, constants.O_RDWR | constants.O_CREAT, 0o600);
    let complete = false;
    try {
      let { size: received } = await file.stat();
      if (received > wanted.size) received = 0;
      const { start, content } = await source(received, signal);
      if (start > received)
        throw new ImageError(
          'DATA_LOSS',
          `the registry sent ${wanted.digest} from byte ${start} on, not from ${received}`,
        );
      const hash = await hashOfStart(file, wanted.digest, start);
      received = start;
      for await (const chunk of content) {
        signal?.throwIfAborted();
        if (received + chunk.length > wanted.size) {
          await file.truncate(0);
          throw new ImageError(
            'DATA_LOSS',
            `${wanted.digest} is larger than the ${wanted.size} bytes that its descriptor says`,
          );
        }
        hash.update(chunk);
        await writeFully(file, chunk, received);
        received += chunk.length;
        onProgress?.(received);
      }
      if (received < wanted.size) {
        throw new ImageError('UNAVAILABLE', `${wanted.digest} broke off after ${received} of ${wanted.size} bytes`);
      }
      await file.truncate(received);
      const digest = `${parseDigest(wanted.digest).algorithm}:${hash.digest('hex')}`;
      if (digest !== wanted.digest) {
        await file.truncate(0);
        throw new ImageError('DATA_LOSS', `content of ${wanted.digest} has the digest ${digest}`);
      }
      await file.sync();
      complete = true;
    } finally {
      await file.close();
    }
    if (complete) await this.#commit(part, wanted.digest);
  }

  async #commit(temporary: string, digest: string): Promise<void> {
    await this.#removing.get(digest);
    const path = this.path(digest);
    await makeDirectory(join(path, '..'), { mode: 0o700 });
    // The content is synced. If a power failure loses the rename, the blob is fetched again.
    await rename(temporary, path);
  }

  #temporary(): string {
    return join(this.#ingest, `unnamed-${process.pid}-${this.#unnamed++}`);
  }
}

function partName(digest: string): string {
  const { algorithm, hex } = parseDigest(digest);
  return `${algorithm}-${hex}.part`;
}

async function hashOfStart(file: FileHandle, digest: string, length: number): Promise<Hash> {
  const hash = hashFor(digest);
  const buffer = Buffer.alloc(256 * 1024);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, length - at), at);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash;
}

async function writeFully(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < chunk.length) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written, position + written);
    written += bytesWritten;
  }
}
