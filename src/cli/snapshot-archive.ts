/** The file of a snapshot: a compressed tar archive with the store's own snapshot and the cluster's keys. */
import fs from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { errorMessage } from '../base/index.ts';
import { encodeTarEntry, readTar, TAR_END, tarPadding } from '../container-runtime/index.ts';
import { makeDirectorySync, renameDurably, syncFile } from '../kernel/index.ts';
import { CommandError } from './command.ts';

export interface SnapshotParts {
  /** The store's snapshot. */
  readonly store: string;
  /** The directory of keys and certificates. */
  readonly pki: string;
}

const STORE = 'etcd.db';
const PKI = 'pki/';

/** Writes the file atomically; returns its size. */
export async function packSnapshot(file: string, { store, pki }: SnapshotParts): Promise<number> {
  const part = `${file}.part`;
  await pipeline(
    Readable.from(archive(store, pki)),
    createGzip({ level: 1 }),
    fs.createWriteStream(part, { mode: 0o600 }),
  );
  await syncFile(part);
  await renameDurably(part, file);
  return fs.statSync(file).size;
}

async function* archive(store: string, pki: string): AsyncIterable<Buffer> {
  const files = [
    { name: STORE, from: store },
    ...filesBelow(pki).map((name) => ({ name: `${PKI}${name}`, from: path.join(pki, name) })),
  ];
  for (const { name, from } of files) {
    const { size, mode } = fs.statSync(from);
    yield encodeTarEntry({ name, size, mode: mode & 0o777 });
    for await (const piece of fs.createReadStream(from)) yield piece as Buffer;
    yield tarPadding(size);
  }
  yield TAR_END;
}

/** Their paths within the directory: keys of etcd have one of their own. */
const filesBelow = (directory: string): string[] =>
  fs.existsSync(directory)
    ? fs
        .readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((name) => fs.statSync(path.join(directory, name)).isFile())
        .sort()
    : [];

/** Unpacks into a directory of ours. */
export async function unpackSnapshot(file: string, directory: string): Promise<SnapshotParts & { bytes: number }> {
  const parts = { store: path.join(directory, STORE), pki: path.join(directory, 'pki') };
  makeDirectorySync(path.join(parts.pki, 'etcd'), { mode: 0o700 });
  try {
    for await (const { entry, content } of readTar(fs.createReadStream(file).pipe(createGunzip()))) {
      const to =
        entry.name === STORE
          ? parts.store
          : /^pki\/(?:etcd\/)?[\w-][\w.-]*$/.test(entry.name)
            ? path.join(directory, entry.name)
            : undefined;
      if (to === undefined) throw new Error(`unexpected entry ${entry.name}`);
      await pipeline(Readable.from(content), fs.createWriteStream(to, { mode: entry.mode & 0o600 }));
    }
  } catch (error) {
    throw new CommandError(`${file} is not a snapshot of "k8ts snapshot save" (${errorMessage(error)})`, {
      cause: error,
    });
  }
  if (!fs.existsSync(parts.store))
    throw new CommandError(`${file} is not a snapshot of "k8ts snapshot save": it has no store`);
  return { ...parts, bytes: fs.statSync(file).size };
}
