/** The directory that a build copies from, without what `.dockerignore` names. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ignoredBy, matchesSegment } from './dockerignore.ts';

export interface SourceFile {
  /** Relative to its source, with slashes; empty for the source itself. */
  readonly name: string;
  readonly path: string;
  readonly stats: fs.Stats;
}

/** What one source of COPY stands for: a file, or a directory whose content is copied. */
export interface Source {
  readonly isDirectory: boolean;
  readonly name: string;
  readonly files: readonly SourceFile[];
}

/** A tree of files to copy from: the build's directory, another stage, or an image. */
export class SourceTree {
  readonly #root: string;
  readonly #isIgnored: (file: string) => boolean;

  constructor(root: string, isIgnored: (file: string) => boolean = () => false) {
    this.#root = fs.realpathSync(root);
    this.#isIgnored = isIgnored;
  }

  /** The directory of a build; a Dockerfile's own ignore file goes before the common one. */
  static ofDirectory(directory: string, dockerfile: string): SourceTree {
    const file = [`${dockerfile}.dockerignore`, path.join(directory, '.dockerignore')].find((one) =>
      fs.existsSync(one),
    );
    return new SourceTree(directory, file ? ignoredBy(fs.readFileSync(file, 'utf8')) : undefined);
  }

  /** Undefined when nothing matches. Links in the way never lead out of the tree: each part is looked at by itself. */
  find(pattern: string): Source[] | undefined {
    let found = [''];
    for (const part of path.posix
      .normalize(`/${pattern}`)
      .split('/')
      .filter((one) => one !== '')) {
      found = found.flatMap((folder) => {
        const at = path.join(this.#root, folder);
        if (!fs.lstatSync(at).isDirectory()) return [];
        const names = /[*?]/.test(part)
          ? fs
              .readdirSync(at)
              .filter((name) => matchesSegment(part, name))
              .sort()
          : fs.existsSync(path.join(at, part)) || isLink(path.join(at, part))
            ? [part]
            : [];
        return names.map((name) => (folder === '' ? name : `${folder}/${name}`));
      });
    }
    const sources = found.flatMap((name) => this.#source(name) ?? []);
    return sources.length === 0 ? undefined : sources;
  }

  #source(name: string): Source | undefined {
    const top = path.join(this.#root, name);
    const stats = fs.lstatSync(top);
    const files: SourceFile[] = [];
    const walk = (relative: string, file: string, found: fs.Stats): void => {
      const inTree = [name, relative].filter((part) => part !== '').join('/');
      const ignored = inTree !== '' && this.#isIgnored(inTree);
      if (!ignored) files.push({ name: relative, path: file, stats: found });
      // A later pattern may keep something below what is ignored.
      if (!found.isDirectory()) return;
      for (const child of fs.readdirSync(file).sort())
        walk(
          relative === '' ? child : `${relative}/${child}`,
          path.join(file, child),
          fs.lstatSync(path.join(file, child)),
        );
    };
    walk('', top, stats);
    if (files.length === 0) return undefined;
    return { isDirectory: stats.isDirectory(), name: path.posix.basename(name), files };
  }
}

const isLink = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** Names, modes and content, for the cache; not times, which a fresh clone changes. */
export function hashSources(sources: readonly Source[]): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const { name, path: file, stats } of source.files) {
      hash.update(
        JSON.stringify([source.name, name, stats.mode & 0o7777, stats.isDirectory(), stats.isSymbolicLink()]),
      );
      if (stats.isSymbolicLink()) hash.update(fs.readlinkSync(file));
      else if (stats.isFile()) hashFile(hash, file);
    }
  }
  return hash.digest('hex');
}

const PIECE_BYTES = 1024 * 1024;

function hashFile(hash: ReturnType<typeof createHash>, file: string): void {
  const descriptor = fs.openSync(file, 'r');
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let length = fs.readSync(descriptor, piece); length > 0; length = fs.readSync(descriptor, piece))
      hash.update(piece.subarray(0, length));
  } finally {
    fs.closeSync(descriptor);
  }
}
