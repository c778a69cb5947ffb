/**
 * Unpacks one tar entry of a layer in the form that overlayfs needs. A whiteout (`.wh.NAME`) becomes a character
 * device 0/0; an opaque whiteout (`.wh..wh..opq`) becomes the attribute overlay.opaque of its directory.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  futimesSync,
  lchownSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { getAttribute, makeNode, NODE_TYPE, setAttribute } from '../../linux/file-system-calls.ts';
import { inUserNamespace } from '../../linux/user-namespace.ts';
import type { TarEntry } from '../tar/tar-entry.ts';
import type { TarItem } from '../tar/tar-reader.ts';
import { LayerError } from './layer-error.ts';
import { isWhiteout, LayerPaths, lookAt, nameParts } from './layer-paths.ts';
import { findBelow, opaqueAttribute } from './lower-layers.ts';

const WHITEOUT_PREFIX = '.wh.';
const OPAQUE_NAME = '.wh..wh..opq';
/** Metadata of AUFS, which is ignored. */
const UNION_METADATA_PREFIX = '.wh..wh.';

const YES = Buffer.from('y');
const MAX_ID = 0xffff_fffe;

/** Layers may contain only these devices, which every container has anyway. */
const HARMLESS_DEVICES: ReadonlySet<string> = new Set(['1:3', '1:5', '1:7', '1:8', '1:9', '5:0', '5:1', '5:2']);

export class EntryUnpacker {
  readonly #paths: LayerPaths;
  readonly #lowers: readonly string[];
  /** Modification times of directories, set at the end because creating entries changes them. */
  readonly #folderTimes = new Map<string, number>();
  /** The number of files and directories created. */
  inodes = 0;

  constructor(root: string, lowers: readonly string[]) {
    this.#lowers = lowers;
    this.#paths = new LayerPaths(root, (inside, replaces) => this.#makeImpliedFolder(inside, replaces));
  }

  async unpack({ entry, content }: TarItem): Promise<void> {
    checkEntry(entry);
    const parts = nameParts(entry.name);
    const base = parts.pop();
    if (base === undefined) {
      if (entry.type !== 'directory') throw new LayerError(`the layer's root is a ${entry.type}`);
      this.#setFolderMetadata('', entry);
      return;
    }
    const folder = this.#paths.folder(parts);
    if (base.startsWith(WHITEOUT_PREFIX)) {
      this.#whiteOut(folder, base);
      return;
    }
    const inside = folder === '' ? base : `${folder}/${base}`;
    if (entry.type === 'directory') this.#unpackFolder(inside, entry);
    else await this.#unpackOther(inside, entry, content);
  }

  finish(): void {
    for (const [inside, modified] of this.#folderTimes) {
      const path = this.#paths.on(inside);
      if (lookAt(path)?.isDirectory()) utimesSync(path, modified, modified);
    }
  }

  #whiteOut(folder: string, base: string): void {
    if (base === OPAQUE_NAME) {
      setAttribute(this.#paths.on(folder), opaqueAttribute(), YES);
      return;
    }
    if (base.startsWith(UNION_METADATA_PREFIX)) return;
    const name = base.slice(WHITEOUT_PREFIX.length);
    if (name === '' || name === '.' || name === '..')
      throw new LayerError(`the whiteout ${JSON.stringify(base)} names nothing`);
    const path = this.#paths.on(folder === '' ? name : `${folder}/${name}`);
    // A whiteout only hides the layers below. An entry of this layer with the same name stays; a directory becomes
    // opaque.
    const found = lookAt(path);
    if (found === undefined) {
      makeNode(path, NODE_TYPE.CHARACTER);
      this.inodes++;
    } else if (found.isDirectory()) setAttribute(path, opaqueAttribute(), YES);
  }

  #unpackFolder(inside: string, entry: TarEntry): void {
    const path = this.#paths.on(inside);
    const found = lookAt(path);
    if (found?.isDirectory() !== true) {
      const hides = found !== undefined && isWhiteout(found);
      if (found !== undefined) this.#remove(inside);
      mkdirSync(path, 0o700);
      this.inodes++;
      if (hides) setAttribute(path, opaqueAttribute(), YES);
    }
    this.#setFolderMetadata(inside, entry);
  }

  #setFolderMetadata(inside: string, entry: TarEntry): void {
    const path = this.#paths.on(inside);
    lchownSync(path, entry.uid, entry.gid);
    chmodSync(path, entry.mode);
    setAttributes(path, entry);
    this.#folderTimes.set(inside, clampTime(entry.modified));
  }

  async #unpackOther(inside: string, entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void> {
    const path = this.#paths.on(inside);
    if (entry.type === 'link') {
      this.#link(inside, entry);
      return;
    }
    if (lookAt(path) !== undefined) this.#remove(inside);
    // The kernel creates no devices there; containers get theirs from the OCI runtime.
    if (entry.type === 'character-device' && inUserNamespace()) return;
    this.inodes++;
    if (entry.type === 'file') {
      await writeFile(path, entry, content);
      return;
    }
    if (entry.type === 'symlink') symlinkSync(checkedTarget(entry), path);
    else if (entry.type === 'fifo') makeNode(path, NODE_TYPE.FIFO | 0o600);
    else makeNode(path, NODE_TYPE.CHARACTER | 0o600, entry.device);
    lchownSync(path, entry.uid, entry.gid);
    if (entry.type !== 'symlink') chmodSync(path, entry.mode);
    setAttributes(path, entry);
    lutimesSync(path, clampTime(entry.modified), clampTime(entry.modified));
  }

  /** A hard link. If its target is in a lower layer, the target is copied up first, as overlayfs does. */
  #link(inside: string, entry: TarEntry): void {
    const parts = nameParts(checkedTarget(entry));
    const base = parts.pop();
    if (base === undefined) throw new LayerError(`${JSON.stringify(entry.name)} is a hard link to the root`);
    const folder = this.#paths.folder(parts);
    const target = folder === '' ? base : `${folder}/${base}`;
    if (target === inside) return;
    const found = lookAt(this.#paths.on(target));
    if (found === undefined) this.#copyUp(target, entry);
    else if (found.isDirectory() || isWhiteout(found)) {
      throw new LayerError(
        `${JSON.stringify(entry.name)} is a hard link to ${JSON.stringify(entry.target)}, which is not a file`,
      );
    }
    if (lookAt(this.#paths.on(inside)) !== undefined) {
      if (target.startsWith(`${inside}/`))
        throw new LayerError(`${JSON.stringify(entry.name)} is a hard link to what it would replace`);
      this.#remove(inside);
    }
    linkSync(this.#paths.on(target), this.#paths.on(inside));
  }

  #copyUp(target: string, entry: TarEntry): void {
    const below = findBelow(this.#lowers, target);
    const path = this.#paths.on(target);
    if (below?.stats.isFile()) copyFileSync(below.path, path, constants.COPYFILE_EXCL);
    else if (below?.stats.isSymbolicLink()) symlinkSync(readlinkSync(below.path), path);
    else
      throw new LayerError(
        `${JSON.stringify(entry.name)} is a hard link to ${JSON.stringify(entry.target)}, which is not there`,
      );
    this.inodes++;
    const { uid, gid, mode, mtimeMs } = below.stats;
    lchownSync(path, uid, gid);
    if (below.stats.isFile()) {
      chmodSync(path, mode & 0o7777);
      const capability = getAttribute(below.path, 'security.capability');
      if (capability !== undefined) setAttribute(path, 'security.capability', capability);
    }
    lutimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
  }

  /** Creates a directory that the layer lacks, with the owner and mode of the one in the layers below. */
  #makeImpliedFolder(inside: string, replaces: boolean): void {
    const path = this.#paths.on(inside);
    if (replaces) rmSync(path, { force: true });
    mkdirSync(path, 0o755);
    this.inodes++;
    const below = replaces ? undefined : findBelow(this.#lowers, inside);
    if (replaces) setAttribute(path, opaqueAttribute(), YES);
    if (below?.stats.isDirectory() === true) {
      lchownSync(path, below.stats.uid, below.stats.gid);
      chmodSync(path, below.stats.mode & 0o7777);
      this.#folderTimes.set(inside, below.stats.mtimeMs / 1000);
    } else chmodSync(path, 0o755);
  }

  #remove(inside: string): void {
    this.#paths.forget(inside);
    rmSync(this.#paths.on(inside), { recursive: true, force: true });
  }
}

function checkEntry(entry: TarEntry): void {
  if (entry.uid > MAX_ID || entry.gid > MAX_ID)
    throw new LayerError(`the owner of ${JSON.stringify(entry.name)} is out of range`);
  if (entry.type !== 'character-device' && entry.type !== 'block-device') return;
  const { major, minor } = entry.device ?? { major: 0, minor: 0 };
  if (entry.type === 'block-device' || !HARMLESS_DEVICES.has(`${major}:${minor}`)) {
    throw new LayerError(
      `the ${entry.type} ${major}:${minor} ${JSON.stringify(entry.name)} is not allowed in an image`,
    );
  }
}

function checkedTarget(entry: TarEntry): string {
  if (entry.target === '' || Buffer.byteLength(entry.target) > 4095) {
    throw new LayerError(`the ${entry.type} ${JSON.stringify(entry.name)} has no usable target`);
  }
  return entry.target;
}

async function writeFile(path: string, entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void> {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    for await (const chunk of content) {
      for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at);
    }
    fchownSync(file, entry.uid, entry.gid);
    // After chown, which clears setuid bits and capabilities.
    fchmodSync(file, entry.mode);
    setAttributes(path, entry);
    futimesSync(file, clampTime(entry.modified), clampTime(entry.modified));
  } finally {
    closeSync(file);
  }
}

/**
 * Sets file capabilities and user attributes. Attributes of the host's security modules are skipped; overlayfs's own
 * are refused, because they would let a layer redirect paths.
 */
function setAttributes(path: string, entry: TarEntry): void {
  for (const [name, value] of entry.attributes ?? []) {
    if (name.startsWith('trusted.') || name.startsWith('user.overlay.')) {
      throw new LayerError(`the attribute ${name} of ${JSON.stringify(entry.name)} is not allowed in an image`);
    }
    const wanted =
      name === 'security.capability' || (name.startsWith('user.') && entry.type !== 'symlink' && entry.type !== 'fifo');
    if (wanted) setAttribute(path, name, value);
  }
}

/** Clamps times to the range that file systems support. */
function clampTime(seconds: number): number {
  return Math.min(Math.max(seconds, -(2 ** 31)), 2 ** 34 - 1);
}
