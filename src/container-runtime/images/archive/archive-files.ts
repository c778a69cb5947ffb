import type { BlobStore, WantedBlob } from '../blob-store.ts';
import { ImageError } from '../image-error.ts';
import { MAX_DOCUMENT_BYTES } from '../manifest/parse-manifest.ts';

const MAX_ALIASES = 40;

/** The files of an image archive by name: JSON documents in memory, everything else as blobs. */
export class ArchiveFiles {
  readonly #blobs: BlobStore;
  readonly #documents = new Map<string, Buffer>();
  readonly #files = new Map<string, WantedBlob>();
  readonly #aliases = new Map<string, string>();

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  get size(): number {
    return this.#files.size + this.#documents.size;
  }

  addDocument(name: string, content: Buffer): void {
    this.#documents.set(name, content);
  }

  add(name: string, blob: WantedBlob): void {
    this.#files.set(name, blob);
  }

  /** Docker writes duplicate layers as links. */
  alias(name: string, target: string): void {
    this.#aliases.set(name, target);
  }

  document(name: string): Buffer | undefined {
    return this.#documents.get(name);
  }

  find(name: string): WantedBlob | undefined {
    let at = name;
    for (let step = 0; step < MAX_ALIASES; step++) {
      const found = this.#files.get(at);
      if (found !== undefined) return found;
      const target = this.#aliases.get(at);
      if (target === undefined) return undefined;
      at = target;
    }
    return undefined;
  }

  require(name: string): WantedBlob {
    const found = this.find(name);
    if (found === undefined)
      throw new ImageError('INVALID_ARGUMENT', `the archive has no file ${JSON.stringify(name)}`);
    return found;
  }

  /** Reads a JSON document. */
  async read(name: string): Promise<Buffer> {
    const document = this.#documents.get(name);
    if (document !== undefined) return document;
    const { digest, size } = this.require(name);
    if (size > MAX_DOCUMENT_BYTES)
      throw new ImageError('INVALID_ARGUMENT', `${JSON.stringify(name)} has ${size} bytes, too many for a document`);
    return this.#blobs.read(digest);
  }
}
