/** Which images are here, and their names: one small file, replaced as a whole. */
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
  /** Everything that must be kept for it: index, manifest, config, layers. */
  readonly blobs: readonly string[];
  /** Digests of the layers' blobs, lowest first. */
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
  /** The file's content, when this process wrote it. */
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

  /** By id, prefix of an id, or name; undefined when there is none. */
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

  /** Records an image, or more names of one that is here. A tag moves to it from whichever image had it. */
  async add(image: Omit<ImageRecord, 'tags' | 'digests'>, names: ImageNames): Promise<ImageRecord> {
    await this.#change((images) => {
      const before = images.get(image.id);
      if (names.tag !== undefined) {
        for (const other of images.values()) {
          if (other.tags.includes(names.tag))
            images.set(other.id, { ...other, tags: other.tags.filter((tag) => tag !== names.tag) });
        }
      }
      const kept = images.get(image.id) ?? before;
      images.set(image.id, {
        ...image,
        blobs: union(kept?.blobs ?? [], image.blobs),
        tags: union(kept?.tags ?? [], names.tag === undefined ? [] : [names.tag]),
        digests: union(kept?.digests ?? [], names.digest === undefined ? [] : [names.digest]),
      });
    });
    const record = this.#images.get(image.id);
    if (record === undefined) throw new Error(`the image ${image.id} was removed while it was recorded`);
    return record;
  }

  /** By id everything goes, by name that name; with its last name an image goes. Tells whether an image went. */
  async remove(reference: string): Promise<boolean> {
    let gone = false;
    await this.#change((images) => {
      const image = this.find(reference);
      if (image === undefined) return;
      const name = this.#nameIn(image, reference);
      const left = name === undefined ? { tags: [], digests: [] } : withoutName(image, name);
      gone = left.tags.length === 0 && left.digests.length === 0;
      if (gone) images.delete(image.id);
      else images.set(image.id, { ...image, ...left });
    });
    return gone;
  }

  #nameIn(image: ImageRecord, reference: string): string | undefined {
    if (image.id === reference || this.#findByPrefix(reference) !== undefined) return undefined;
    return formatReference(normalizeReference(reference));
  }

  #findByPrefix(reference: string): ImageRecord | undefined {
    const prefix = reference.startsWith('sha256:') ? reference.slice('sha256:'.length) : reference;
    if (prefix.length < MIN_ID_PREFIX || !/^[0-9a-f]+$/.test(prefix)) return undefined;
    const found = this.list().filter((image) => image.id.startsWith(`sha256:${prefix}`));
    // A name of hexadecimal digits is a name first.
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

  /** Changes happen one after the other; the file is on disk before anyone sees them. */
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

/** Without a tag, the digests of its repository go too, unless another tag of it stays. */
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
