import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DiskRecord } from './recorder.ts';

/** Decides what of the unsynced changes reaches the disk. */
export interface Luck {
  /** Whether a change of a directory, or the new length of a file, is kept. */
  keeps(): boolean;
  /** Which part of a write is kept: all of it, none, or some of its sectors. */
  write(): 'whole' | 'torn' | 'lost';
}

export const nothingIsKept: Luck = { keeps: () => false, write: () => 'lost' };
export const everythingIsKept: Luck = { keeps: () => true, write: () => 'whole' };

export function randomLuck(random: { next(): number }): Luck {
  return {
    keeps: () => random.next() < 0.5,
    write: () => (random.next() < 0.4 ? 'whole' : random.next() < 0.5 ? 'torn' : 'lost'),
  };
}

const SECTOR_BYTES = 512;

interface Change {
  readonly order: number;
  durable: boolean;
}

interface FileChange extends Change {
  readonly offset: number;
  /** Undefined for a truncation. */
  readonly bytes: Buffer | undefined;
  readonly id: bigint;
}

interface EntryChange extends Change {
  readonly sets: readonly { directory: DirectoryNode; name: string; node: DiskNode | undefined }[];
}

interface FileNode {
  readonly kind: 'file';
  readonly mode: number;
  content: Buffer;
  changes: FileChange[];
  /** Written through memory, which the recorder does not see. */
  isMapped: boolean;
}

interface DirectoryNode {
  readonly kind: 'directory';
  readonly mode: number;
  readonly durable: Map<string, DiskNode>;
  readonly live: Map<string, DiskNode>;
  changes: EntryChange[];
}

interface LinkNode {
  readonly kind: 'link';
  readonly target: string;
}

type DiskNode = FileNode | DirectoryNode | LinkNode;

/**
 * A directory as the disk has it, by the least that POSIX promises: a file's bytes are there after fsync or fdatasync of
 * the file, its name after fsync of its directory. Of everything else any part may be there, writes torn at sectors.
 */
export class DiskImage {
  readonly #root: string;
  readonly #top: DirectoryNode;
  readonly #nodes = new Map<bigint, DiskNode>();
  readonly #syncs = new Map<bigint, number>();
  #order = 0;

  /** `root`: the directory before the recorded process starts; all of it is on the disk. */
  constructor(root: string) {
    this.#root = root;
    this.#top = this.#scan(root) as DirectoryNode;
  }

  apply(record: DiskRecord): void {
    this.#order++;
    const node = this.#nodes.get(record.inode);
    switch (record.type) {
      case 'create':
        return this.#enter(record.first, this.#remember(record.inode, newFile(record.offset & 0o777)));
      case 'mkdir':
        return this.#enter(record.first, this.#remember(record.inode, newDirectory(record.offset & 0o777)));
      case 'symlink':
        return this.#enter(record.second, { kind: 'link', target: record.first.toString() });
      case 'link':
        return this.#enter(record.second, this.#at(record.first.toString()));
      case 'unlink':
        return this.#enter(record.first, undefined);
      case 'rename': {
        const moved = this.#at(record.first.toString());
        return this.#change([this.#place(record.first, undefined), this.#place(record.second, moved)]);
      }
      case 'write':
      case 'truncate':
        if (node?.kind === 'file') {
          const bytes = record.type === 'write' ? record.first : undefined;
          node.changes.push({ order: this.#order, durable: false, offset: record.offset, bytes, id: record.id });
        }
        return;
      case 'mapped':
        if (node?.kind === 'file') node.isMapped = true;
        return;
      case 'durable':
        for (const change of fileChanges(node)) if (change.id === record.id) change.durable = true;
        return;
      case 'sync start':
        this.#syncs.set(record.id, this.#order);
        return;
      case 'sync end':
        return settle(node, this.#syncs.get(record.id) ?? 0);
    }
  }

  /** Writes what is left after the power has gone into an empty directory. */
  writeTo(directory: string, luck: Luck, random: { next(): number }): void {
    const decided = new Map<Change, boolean>();
    const keeps = (change: Change): boolean => {
      const known = decided.get(change);
      if (known !== undefined) return known;
      const kept = change.durable || luck.keeps();
      decided.set(change, kept);
      return kept;
    };
    const write = (node: DirectoryNode, path: string): void => {
      for (const [name, entry] of entriesOf(node, keeps)) {
        const place = join(path, name);
        if (entry.kind === 'link') symlinkSync(entry.target, place);
        else if (entry.kind === 'file') writeFileSync(place, contentOf(entry, luck, random), { mode: entry.mode });
        else {
          mkdirSync(place);
          write(entry, place);
          chmodSync(place, entry.mode);
        }
      }
    };
    write(this.#top, directory);
  }

  /** Where the image, with everything kept, differs from the real directory: something that the recorder did not see. */
  differences(): string[] {
    const found: string[] = [];
    const compare = (node: DirectoryNode, path: string): void => {
      const real = new Set(readdirSync(path).filter((name) => !isSpecial(join(path, name))));
      for (const name of real) if (!node.live.has(name)) found.push(`${join(path, name)} was made unseen`);
      for (const [name, entry] of node.live) {
        const place = join(path, name);
        if (!real.has(name)) found.push(`${place} was removed unseen`);
        else if (entry.kind === 'directory') compare(entry, place);
        else if (
          entry.kind === 'file' &&
          !entry.isMapped &&
          !contentOf(entry, everythingIsKept, { next: () => 0 }).equals(readFileSync(place))
        )
          found.push(`${place} was written unseen`);
      }
    };
    compare(this.#top, this.#root);
    return found;
  }

  #scan(path: string): DiskNode {
    const status = lstatSync(path, { bigint: true });
    const mode = Number(status.mode & 0o777n);
    if (status.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) };
    if (!status.isDirectory()) return this.#remember(status.ino, newFile(mode, readFileSync(path)));
    const directory = newDirectory(mode);
    this.#remember(status.ino, directory);
    for (const name of readdirSync(path)) {
      if (isSpecial(join(path, name))) continue;
      const node = this.#scan(join(path, name));
      directory.durable.set(name, node);
      directory.live.set(name, node);
    }
    return directory;
  }

  #remember<Node extends DiskNode>(inode: bigint, node: Node): Node {
    this.#nodes.set(inode, node);
    return node;
  }

  #enter(path: Buffer, node: DiskNode | undefined): void {
    this.#change([this.#place(path, node)]);
  }

  #place(path: Buffer, node: DiskNode | undefined): EntryChange['sets'][number] {
    const directory = this.#at(dirname(path.toString()));
    if (directory?.kind !== 'directory')
      throw new Error(`${path.toString()} is not in a directory that the recorder knows`);
    return { directory, name: basename(path.toString()), node };
  }

  #change(sets: EntryChange['sets']): void {
    const change: EntryChange = { order: this.#order, durable: false, sets };
    for (const { directory, name, node } of sets) {
      if (node === undefined) directory.live.delete(name);
      else directory.live.set(name, node);
    }
    for (const directory of new Set(sets.map((set) => set.directory))) directory.changes.push(change);
  }

  #at(path: string): DiskNode | undefined {
    let node: DiskNode | undefined = this.#top;
    for (const name of path.slice(this.#root.length).split('/')) {
      if (name !== '') node = node?.kind === 'directory' ? node.live.get(name) : undefined;
    }
    return node;
  }
}

const newFile = (mode: number, content: Buffer = Buffer.alloc(0)): FileNode => ({
  kind: 'file',
  mode,
  content,
  changes: [],
  isMapped: false,
});
const newDirectory = (mode: number): DirectoryNode => ({
  kind: 'directory',
  mode,
  durable: new Map(),
  live: new Map(),
  changes: [],
});

function isSpecial(path: string): boolean {
  const status = lstatSync(path);
  return !status.isFile() && !status.isDirectory() && !status.isSymbolicLink();
}

const fileChanges = (node: DiskNode | undefined): readonly FileChange[] => (node?.kind === 'file' ? node.changes : []);

/** Marks what was there when the sync began as durable, and takes the beginning that is durable into the node itself. */
function settle(node: DiskNode | undefined, order: number): void {
  if (node === undefined || node.kind === 'link') return;
  for (const change of node.changes) if (change.order < order) change.durable = true;
  const pending = node.changes.findIndex((change) => !change.durable);
  const count = pending < 0 ? node.changes.length : pending;
  if (node.kind === 'file') node.content = changed(node.content, node.changes.splice(0, count));
  else for (const change of node.changes.splice(0, count)) setEntries(node, node.durable, change);
}

function setEntries(owner: DirectoryNode, entries: Map<string, DiskNode>, change: EntryChange): void {
  for (const { directory, name, node } of change.sets) {
    if (directory !== owner) continue;
    if (node === undefined) entries.delete(name);
    else entries.set(name, node);
  }
}

function entriesOf(node: DirectoryNode, keeps: (change: Change) => boolean): Map<string, DiskNode> {
  const entries = new Map(node.durable);
  for (const change of node.changes) if (keeps(change)) setEntries(node, entries, change);
  return entries;
}

function contentOf(file: FileNode, luck: Luck, random: { next(): number }): Buffer {
  const kept: Pick<FileChange, 'offset' | 'bytes'>[] = [];
  for (const change of file.changes) {
    if (change.durable) kept.push(change);
    else if (change.bytes === undefined) {
      if (luck.keeps()) kept.push(change);
    } else {
      const fate = luck.write();
      if (fate === 'whole') kept.push(change);
      else if (fate === 'torn') kept.push(...sectorsOf(change.offset, change.bytes).filter(() => random.next() < 0.5));
    }
  }
  return changed(Buffer.from(file.content), kept);
}

function sectorsOf(offset: number, bytes: Buffer): { offset: number; bytes: Buffer }[] {
  const sectors: { offset: number; bytes: Buffer }[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + SECTOR_BYTES - ((offset + at) % SECTOR_BYTES));
    sectors.push({ offset: offset + at, bytes: bytes.subarray(at, end) });
    at = end;
  }
  return sectors;
}

function changed(content: Buffer, changes: readonly Pick<FileChange, 'offset' | 'bytes'>[]): Buffer {
  let length = content.length;
  let most = length;
  for (const { offset, bytes } of changes) {
    length = bytes === undefined ? offset : Math.max(length, offset + bytes.length);
    most = Math.max(most, length);
  }
  let result = content;
  if (most > content.length) {
    result = Buffer.alloc(most);
    content.copy(result);
  }
  let end = content.length;
  for (const { offset, bytes } of changes) {
    if (bytes === undefined) {
      result.fill(0, Math.min(offset, end), end);
      end = offset;
    } else {
      bytes.copy(result, offset);
      end = Math.max(end, offset + bytes.length);
    }
  }
  return result.subarray(0, end);
}
