/**
 * Resolves paths inside a layer that is being unpacked. Names and symbolic links come from the image, so every path
 * element is checked with lstat and links resolve inside the layer, as after chroot. No name leads out of the layer's
 * directory. Checking before use is safe, because no other process writes there.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { LayerError } from './layer-error.ts';

const MAX_LINKS = 40;
const MAX_NAME_LENGTH = 4096;

/**
 * The elements of an entry's name; none for the root. Names with `..` are refused; absolute names start at the layer's
 * root.
 */
export function nameParts(name: string): string[] {
  if (Buffer.byteLength(name) > MAX_NAME_LENGTH)
    throw new LayerError(`the name of an entry is longer than ${MAX_NAME_LENGTH} bytes`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new LayerError(`the entry ${JSON.stringify(name)} would leave the layer`);
  return parts;
}

/** lstat; undefined if there is no such file. */
export function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** In overlayfs a whiteout is a character device 0/0. */
export function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0;
}

export class LayerPaths {
  readonly #root: string;
  /** Cache of existing directories, by their path in the layer (`''` or `a/b`). */
  readonly #folders = new Set<string>(['']);

  /** `makeFolder` creates a parent directory that the layer lacks; `replaces` says that it replaces a whiteout. */
  constructor(
    root: string,
    readonly makeFolder: (inside: string, replaces: boolean) => void,
  ) {
    this.#root = root;
  }

  /** The host path of a path in the layer. */
  on(inside: string): string {
    return inside === '' ? this.#root : `${this.#root}/${inside}`;
  }

  /** Resolves a directory of the layer: follows links and creates missing directories. */
  folder(parts: readonly string[]): string {
    const direct = parts.join('/');
    if (this.#folders.has(direct)) return direct;
    const pending = [...parts].reverse();
    const at: string[] = [];
    let links = 0;
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      if (part === '' || part === '.') continue;
      if (part === '..') {
        at.pop();
        continue;
      }
      const inside = [...at, part].join('/');
      if (!this.#folders.has(inside)) {
        const found = lookAt(this.on(inside));
        if (found?.isSymbolicLink()) {
          if (++links > MAX_LINKS)
            throw new LayerError(`too many symbolic links on the way to ${JSON.stringify(direct)}`);
          const target = readlinkSync(this.on(inside));
          if (target.startsWith('/')) at.length = 0;
          pending.push(...target.split('/').reverse());
          continue;
        }
        if (found === undefined || isWhiteout(found)) this.makeFolder(inside, found !== undefined);
        else if (!found.isDirectory())
          throw new LayerError(`${JSON.stringify(inside)} is not a folder, but entries are below it`);
        this.#folders.add(inside);
      }
      at.push(part);
    }
    return at.join('/');
  }

  /** Drops a removed path, and everything below it, from the cache. */
  forget(inside: string): void {
    if (!this.#folders.delete(inside)) return;
    for (const folder of this.#folders) if (folder.startsWith(`${inside}/`)) this.#folders.delete(folder);
  }
}
