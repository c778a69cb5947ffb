/**
 * The file of a snapshot: a compressed tar archive with the store's own snapshot, the cluster's keys and certificates (the key
 * that encrypts Secrets at rest among them), its record, its configuration file, and on demand its volumes.
 */
import fs from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { errorMessage, K8TS_VERSION } from '../base/index.ts';
import { encodeTarEntry, readTar, TAR_END, tarPadding } from '../container-runtime/index.ts';
import { makeDirectorySync, renameDurably, syncFile } from '../kernel/index.ts';
import { CommandError } from './command.ts';

export interface SnapshotParts {
  /** The store's snapshot. */
  readonly store: string;
  /** The data directory: what else is saved is there. */
  readonly directory: string;
  /** Saves what is in the volumes of the default StorageClass, as it is at the moment. */
  readonly volumes?: boolean;
}

/** The first entry: what the file is. */
export interface SnapshotManifest {
  readonly format: 'k8ts-snapshot';
  readonly version: 1;
  readonly k8tsVersion: string;
  /** When it was taken. */
  readonly time: string;
  /** Everything up to this revision is in it. */
  readonly revision: number;
}

const MANIFEST = 'snapshot.json';
const STORE = 'etcd.db';
/** Besides the store; keys with the modes that they have. */
/** etcd's are in a directory of their own in it. */
const PKI = 'pki';
const FILES = ['cluster.json', 'k8ts.yaml'] as const;
const VOLUMES = 'volumes';

/** Writes the file atomically; returns its size. */
export async function packSnapshot(
  file: string,
  parts: SnapshotParts,
  { revision, time }: Pick<SnapshotManifest, 'revision' | 'time'>,
): Promise<number> {
  const part = `${file}.part`;
  const manifest: SnapshotManifest = { format: 'k8ts-snapshot', version: 1, k8tsVersion: K8TS_VERSION, time, revision };
  fs.rmSync(part, { force: true });
  try {
    await pipeline(
      Readable.from(archive(parts, manifest)),
      createGzip({ level: 1 }),
      fs.createWriteStream(part, { mode: 0o600, flags: 'wx' }),
    );
    await syncFile(part);
    await renameDurably(part, file);
  } catch (error) {
    fs.rmSync(part, { force: true });
    throw error;
  }
  return fs.statSync(file).size;
}

async function* archive(
  { store, directory, volumes }: SnapshotParts,
  manifest: SnapshotManifest,
): AsyncIterable<Buffer> {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  yield encodeTarEntry({ name: MANIFEST, size: text.length, mode: 0o600 });
  yield text;
  yield tarPadding(text.length);
  yield* fileEntry(STORE, store);
  yield* below(directory, PKI);
  for (const name of FILES)
    if (fs.existsSync(path.join(directory, name))) yield* fileEntry(name, path.join(directory, name));
  if (volumes) yield* below(directory, VOLUMES);
  yield TAR_END;
}

/** Files, directories and symbolic links; sockets, pipes and devices are left out. */
async function* below(directory: string, name: string): AsyncIterable<Buffer> {
  const place = path.join(directory, name);
  if (!fs.existsSync(place)) return;
  for (const found of fs.readdirSync(place, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const entry = `${name}/${found.name}`;
    const from = path.join(directory, entry);
    if (found.isFile()) yield* fileEntry(entry, from);
    else if (found.isDirectory()) {
      const { mode, uid, gid } = fs.statSync(from);
      yield encodeTarEntry({ name: entry, type: 'directory', mode: mode & 0o7777, uid, gid });
      yield* below(directory, entry);
    } else if (found.isSymbolicLink())
      yield encodeTarEntry({ name: entry, type: 'symlink', mode: 0o777, target: fs.readlinkSync(from) });
  }
}

/** A file that grows meanwhile is saved as long as it was; one that shrinks fails. */
async function* fileEntry(name: string, from: string): AsyncIterable<Buffer> {
  const { size, mode, uid, gid } = fs.statSync(from);
  yield encodeTarEntry({ name, size, mode: mode & 0o7777, uid, gid });
  let left = size;
  if (size > 0)
    for await (const piece of fs.createReadStream(from, { end: size - 1 })) {
      left -= (piece as Buffer).length;
      yield piece as Buffer;
    }
  if (left > 0) throw new CommandError(`${from} became shorter while it was saved; save again`);
  yield tarPadding(size);
}

export interface UnpackedSnapshot {
  readonly store: string;
  /** Has what goes into the data directory, besides the store. */
  readonly directory: string;
  readonly bytes: number;
  /** Absent in files of older releases. */
  readonly manifest?: SnapshotManifest;
}

/** Unpacks into a directory of ours. */
export async function unpackSnapshot(file: string, directory: string): Promise<UnpackedSnapshot> {
  const rest = path.join(directory, 'rest');
  const store = path.join(directory, STORE);
  makeDirectorySync(path.join(rest, PKI), { mode: 0o700 });
  try {
    /** At the end, so that nothing is written through a link, or into a directory that is read-only. */
    const last: (() => void)[] = [];
    for await (const { entry, content } of readTar(fs.createReadStream(file).pipe(createGunzip()))) {
      const { name, type, mode, uid, gid, target } = entry;
      const to = placeOf(name, { store, rest });
      const isVolume = name.startsWith(`${VOLUMES}/`);
      if (!isVolume && type !== 'file' && !(type === 'directory' && name.startsWith(`${PKI}/`)))
        throw new Error(`unexpected ${type} ${name}`);
      makeDirectorySync(path.dirname(to), { mode: 0o700 });
      if (type === 'symlink') last.unshift(() => fs.symlinkSync(target, to));
      else if (type === 'directory') makeDirectorySync(to, { mode: 0o700 });
      else if (type === 'file')
        await pipeline(Readable.from(content), fs.createWriteStream(to, { mode: mode & 0o644, flags: 'wx' }));
      else throw new Error(`unexpected ${type} ${name}`);
      if (isVolume && type !== 'symlink')
        last.unshift(() => {
          if (process.getuid?.() === 0) fs.chownSync(to, uid, gid);
          fs.chmodSync(to, mode & 0o7777);
        });
    }
    for (const finish of last) finish();
  } catch (error) {
    throw new CommandError(`${file} is not a snapshot of "k8ts snapshot save" (${errorMessage(error)})`, {
      cause: error,
    });
  }
  if (!fs.existsSync(store))
    throw new CommandError(`${file} is not a snapshot of "k8ts snapshot save": it has no store`);
  return { store, directory: rest, bytes: fs.statSync(file).size, ...manifestIn(path.join(directory, MANIFEST), file) };
}

/** Every entry has its place; names that lead elsewhere have none. */
function placeOf(name: string, { store, rest }: { store: string; rest: string }): string {
  if (name === STORE) return store;
  if (name === MANIFEST) return path.join(path.dirname(store), MANIFEST);
  const parts = name.split('/');
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\0'));
  if (isPlain && ((parts[0] === PKI && parts.length <= 3) || (parts[0] === VOLUMES && parts.length > 1)))
    return path.join(rest, name);
  if ((FILES as readonly string[]).includes(name)) return path.join(rest, name);
  throw new Error(`unexpected entry ${name}`);
}

function manifestIn(file: string, archiveFile: string): { manifest?: SnapshotManifest } {
  if (!fs.existsSync(file)) return {};
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as SnapshotManifest;
  if (manifest.format !== 'k8ts-snapshot' || manifest.version !== 1)
    throw new CommandError(
      `${archiveFile} was written by k8ts ${manifest.k8tsVersion}, which is newer; restore it with that release`,
    );
  return { manifest };
}
