/**
 * Paths inside a layer that is being unpacked. Names and symbolic links come from the image: every step of a path is
 * looked at without following it, and links are followed as a process would whose root the layer is. So no name leads out
 * of the layer's folder. Nobody else writes there, which is why looking first and then acting is safe.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { LayerError } from './layer-error.ts';

const MAX_LINKS = 40;
const MAX_NAME_LENGTH = 4096;

/** The parts of an entry's name; none for the root itself. A name that climbs is refused, an absolute one starts at the root. */
export function nameParts(name: string): string[] {
  if (Buffer.byteLength(name) > MAX_NAME_LENGTH)
    throw new LayerError(`the name of an entry is longer than ${MAX_NAME_LENGTH} bytes`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new LayerError(`the entry ${JSON.stringify(name)} would leave the layer`);
  return parts;
}

/** What is at a path, itself and not what a link points to; undefined when there is nothing. */
export function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

export function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0;
}

export class LayerPaths {
  readonly #root: string;
  /** Folders that are known to be there and to be folders, by their path in the layer (`''` or `a/b`). */
  readonly #folders = new Set<string>(['']);

  /** `makeFolder` is called for a folder that the layer lacks on the way, in place of a whiteout when `replaces`. */
  constructor(
    root: string,
    readonly makeFolder: (inside: string, replaces: boolean) => void,
  ) {
    this.#root = root;
  }

  /** The path on the machine of a path in the layer whose parts are known to be folders. */
  on(inside: string): string {
    return inside === '' ? this.#root : `${this.#root}/${inside}`;
  }

  /** Where the folder named by these parts is in the layer, with links followed and missing folders made. */
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

  /** Something was removed: what was known about it and below is not so any more. */
  forget(inside: string): void {
    if (!this.#folders.delete(inside)) return;
    for (const folder of this.#folders) if (folder.startsWith(`${inside}/`)) this.#folders.delete(folder);
  }
}
