/** The images of the store and their names, in one file that is replaced as a whole. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably } from '../../kernel/index.ts';
import { ImageError } from './image-error.ts';
import { formatReference, normalizeReference, parseReference, repositoryOf } from './reference.ts';

export interface ImageRecord {
  /** Digest of the config. */
  readonly id: string;
  readonly manifestDigest: string;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  /** All blobs of the image: index, manifest, config, layers. */
  readonly blobs: readonly string[];
  /** Digests of the layers' (compressed) blobs, lowest first. */
  readonly layerBlobs: readonly string[];
  /** Chain ids, lowest first. */
  readonly layers: readonly string[];
  readonly size: number;
}

/** An image's names besides its id, in full form. */
export interface ImageNames {
  readonly tag?: string;
  readonly digest?: string;
}

const MIN_ID_PREFIX = 4;

export class ImageRecords {
  readonly #path: string;
  #images = new Map<string, ImageRecord>();
  #writing: Promise<void> = Promise.resolve();
  /** The content that this process last wrote to the file. */
  #written = '';

  private constructor(root: string) {
    this.#path = join(root, 'images.json');
  }

  static async open(root: string): Promise<ImageRecords> {
    const records = new ImageRecords(root);
    let text: string;
    try {
      text = await readFile(records.#path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return records;
      throw error;
    }
    const { images } = JSON.parse(text) as { images: ImageRecord[] };
    records.#images = new Map(images.map((image) => [image.id, image]));
    return records;
  }

  list(): readonly ImageRecord[] {
    return [...this.#images.values()];
  }

  get(id: string): ImageRecord | undefined {
    return this.#images.get(id);
  }

  /** Finds an image by id, prefix of an id, or name. */
  find(reference: string): ImageRecord | undefined {
    const exact = this.#images.get(reference);
    if (exact !== undefined) return exact;
    const byPrefix = this.#findByPrefix(reference);
    if (byPrefix !== undefined) return byPrefix;
    let name: string;
    try {
      name = formatReference(normalizeReference(reference));
    } catch {
      return undefined;
    }
    return this.list().find((image) => image.tags.includes(name) || image.digests.includes(name));
  }

  /** Records an image, or adds names to one. A tag moves from the image that had it before. */
  async add(image: Omit<ImageRecord, 'tags' | 'digests'>, names: ImageNames): Promise<ImageRecord> {
    await this.#change((images) => {
      const before = images.get(image.id);
      if (names.tag !== undefined) {
        for (const other of images.values()) {
          if (other.tags.includes(names.tag))
            images.set(other.id, { ...other, tags: other.tags.filter((tag) => tag !== names.tag) });
        }
      }
      const existing = images.get(image.id) ?? before;
      images.set(image.id, {
        ...image,
        blobs: union(existing?.blobs ?? [], image.blobs),
        tags: union(existing?.tags ?? [], names.tag === undefined ? [] : [names.tag]),
        digests: union(existing?.digests ?? [], names.digest === undefined ? [] : [names.digest]),
      });
    });
    const record = this.#images.get(image.id);
    if (record === undefined) throw new Error(`the image ${image.id} was removed while it was recorded`);
    return record;
  }

  /**
   * By id, removes the image; by name, removes the name, and the image with its last one. Returns whether the image
   * was removed.
   */
  async remove(reference: string): Promise<boolean> {
    let removed = false;
    await this.#change((images) => {
      const image = this.find(reference);
      if (image === undefined) return;
      const name = this.#nameIn(image, reference);
      const remaining = name === undefined ? { tags: [], digests: [] } : withoutName(image, name);
      removed = remaining.tags.length === 0 && remaining.digests.length === 0;
      if (removed) images.delete(image.id);
      else images.set(image.id, { ...image, ...remaining });
    });
    return removed;
  }

  #nameIn(image: ImageRecord, reference: string): string | undefined {
    if (image.id === reference || this.#findByPrefix(reference) !== undefined) return undefined;
    return formatReference(normalizeReference(reference));
  }

  #findByPrefix(reference: string): ImageRecord | undefined {
    const prefix = reference.startsWith('sha256:') ? reference.slice('sha256:'.length) : reference;
    if (prefix.length < MIN_ID_PREFIX || !/^[0-9a-f]+$/.test(prefix)) return undefined;
    const found = this.list().filter((image) => image.id.startsWith(`sha256:${prefix}`));
    // A tag that looks like an id prefix counts as a tag.
    if (found.length === 0 || (!reference.startsWith('sha256:') && prefix.length < 64 && this.#hasTag(reference)))
      return undefined;
    if (found.length > 1) throw new ImageError('INVALID_ARGUMENT', `the image id ${reference} is ambiguous`);
    return found[0];
  }

  #hasTag(reference: string): boolean {
    try {
      const name = formatReference(normalizeReference(reference));
      return this.list().some((image) => image.tags.includes(name));
    } catch {
      return false;
    }
  }

  /** Serializes changes; each is on disk before it becomes visible. */
  async #change(apply: (images: Map<string, ImageRecord>) => void): Promise<void> {
    const before = this.#writing;
    const write = async (): Promise<void> => {
      await before;
      const next = new Map(this.#images);
      apply(next);
      const text = JSON.stringify({ images: [...next.values()] }, undefined, 1);
      if (text !== this.#written) await writeFileDurably(this.#path, text);
      this.#written = text;
      this.#images = next;
    };
    const run = write();
    this.#writing = run.catch(() => {});
    await run;
  }
}

/** Removing a repository's last tag also removes the digests of that repository. */
function withoutName(image: ImageRecord, name: string): Pick<ImageRecord, 'tags' | 'digests'> {
  const tags = image.tags.filter((tag) => tag !== name);
  if (tags.length === image.tags.length) return { tags, digests: image.digests.filter((digest) => digest !== name) };
  const repository = repositoryOf(parseReference(name));
  const stays = tags.some((tag) => repositoryOf(parseReference(tag)) === repository);
  return {
    tags,
    digests: stays
      ? image.digests
      : image.digests.filter((digest) => repositoryOf(parseReference(digest)) !== repository),
  };
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])];
}
