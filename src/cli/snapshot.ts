/** `k8ts snapshot save|restore|status FILE`: a whole cluster, its data and its keys, in one file. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { nearest } from '../base/index.ts';
import { readClusterRecord, updateClusterRecord } from '../cluster/index.ts';
import { openEmbeddedStore, restoreSnapshot, saveSnapshot, snapshotStatus } from '../etcd/index.ts';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { makeDirectorySync, RealClock } from '../kernel/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { print, table } from './output.ts';
import { readProcessFile } from './process-file.ts';
import { listSnapshots, snapshotDirectoryOf } from './scheduled-snapshots.ts';
import { packSnapshot, type SnapshotManifest, unpackSnapshot } from './snapshot-archive.ts';

export const flags = {
  volumes: {
    kind: 'switch',
    summary: 'Also save the data of volumes of the default StorageClass; stop their pods first, or it may be halfway',
  },
  dir: {
    kind: 'text',
    path: true,
    summary: 'Directory of snapshots that the cluster takes itself (default DIR/snapshots)',
  },
  ...dataDirFlag,
  ...outputFlag,
} as const satisfies FlagTable;
export const verbs = ['save', 'restore', 'status', 'list'] as const;

const USAGE = `k8ts snapshot: a whole cluster in one file: its data, its keys and certificates, its configuration

  k8ts snapshot save FILE       of a cluster that runs, or is stopped
  k8ts snapshot restore FILE    into a --data-dir that has no cluster yet
  k8ts snapshot status FILE     checks the file, and tells its time and revision
  k8ts snapshot list            those that the cluster has taken itself ("k8ts up --snapshot-interval")`;

export async function run(argv: readonly string[]): Promise<number> {
  const { values, positional, help } = parseFlags(argv, flags, { positional: true });
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const [verb = '', ...files] = positional;
  if (verb === '') throw new UsageError('usage: k8ts snapshot save FILE, or k8ts snapshot restore FILE');
  if (!(verbs as readonly string[]).includes(verb)) {
    const near = nearest(verb, verbs);
    throw new UsageError(
      `unknown command "snapshot ${verb}"; ${near ? `did you mean snapshot ${near}?` : 'use snapshot save or restore'}`,
    );
  }
  const directory = path.resolve(values['data-dir']);
  if (verb === 'list') {
    const found = listSnapshots(path.resolve(values.dir ?? snapshotDirectoryOf(directory)));
    print(values.output, found, (all) =>
      table([['FILE', 'TIME', 'BYTES'], ...all.map(({ file, time, bytes }) => [file, time, String(bytes)])]),
    );
    return 0;
  }
  const [file, ...rest] = files;
  if (file === undefined || rest.length > 0) throw new UsageError(`usage: k8ts snapshot ${verb} FILE`);
  const place = path.resolve(file);
  if (verb === 'status') {
    print(values.output, await status(place), describeStatus);
    return 0;
  }
  const result =
    verb === 'save' ? await save(directory, place, values.volumes ?? false) : await restore(place, directory);
  print(values.output, { file: place, directory, ...result }, () =>
    verb === 'save'
      ? `saved the cluster in ${directory} to ${file} (revision ${result.revision})`
      : `restored ${file} (revision ${result.revision}) to ${directory}; start it with "k8ts up --data-dir ${values['data-dir']}"`,
  );
  return 0;
}

interface Saved {
  readonly bytes: number;
  /** Everything up to it is in the file. */
  readonly revision: number;
}

async function save(directory: string, file: string, volumes: boolean): Promise<Saved> {
  if (!fs.existsSync(path.join(directory, 'pki')))
    throw new CommandError(`there is no cluster in ${directory}; name its directory with --data-dir`);
  if (!fs.existsSync(path.join(directory, 'etcd')) && !readProcessFile(directory))
    throw new CommandError(
      `the store of ${directory} is an etcd: start the cluster, or save etcd with "etcdctl snapshot save"`,
    );
  return saveWith((store) => saveStore(directory, store), { directory, file, volumes });
}

interface SaveTarget {
  readonly directory: string;
  readonly file: string;
  readonly volumes?: boolean;
}

/** Packs what `writeStore` writes, with the rest of the data directory. */
export function saveWith(
  writeStore: (file: string) => Promise<void>,
  { directory, file, volumes }: SaveTarget,
): Promise<Saved> {
  return withScratch(async (scratch) => {
    const store = path.join(scratch, 'etcd.db');
    await writeStore(store);
    const { revision } = await snapshotStatus(store);
    const time = new Date(new RealClock().now()).toISOString();
    const bytes = await packSnapshot(file, { store, directory, ...(volumes ? { volumes } : {}) }, { revision, time });
    return { bytes, revision };
  });
}

interface Status extends Partial<SnapshotManifest> {
  readonly file: string;
  readonly bytes: number;
  readonly revision: number;
  readonly keys: number;
}

/** Reads the whole file, as a restore does. */
function status(file: string): Promise<Status> {
  if (!fs.existsSync(file)) throw new CommandError(`there is no file ${file}`);
  return withScratch(async (scratch) => {
    const { store, bytes, manifest } = await unpackSnapshot(file, scratch);
    const { revision, totalKeys } = await snapshotStatus(store);
    return { ...manifest, file, bytes, revision, keys: totalKeys };
  });
}

const describeStatus = ({ file, time = 'unknown', k8tsVersion = 'unknown', bytes, revision, keys }: Status): string =>
  [
    ['file', file],
    ['taken', time],
    ['k8ts', k8tsVersion],
    ['bytes', String(bytes)],
    ['revision', String(revision)],
    ['keys', String(keys)],
  ]
    .map(([name, value]) => `${name!.padEnd(10)}${value}`)
    .join('\n');

/** The store of a cluster that runs, or is stopped, with its history. */
export async function saveStore(directory: string, file: string): Promise<void> {
  if (!readProcessFile(directory)) return saveStopped(directory, file);
  const running = runningCluster({ values: { 'data-dir': directory }, given: new Set(['data-dir']) });
  await saveSnapshot(await running.stream('POST', '/snapshot'), file);
}

async function saveStopped(directory: string, file: string): Promise<void> {
  const store = await openEmbeddedStore({ directory: path.join(directory, 'etcd'), clock: new RealClock() });
  try {
    await saveSnapshot(store.snapshot(), file);
  } finally {
    await store.close();
  }
}

/** Either the whole cluster is there afterwards, or nothing that would start as one. */
async function restore(file: string, directory: string): Promise<Saved> {
  if (!fs.existsSync(file)) throw new CommandError(`there is no file ${file}`);
  if (fs.existsSync(path.join(directory, 'etcd')) || fs.existsSync(path.join(directory, 'pki')))
    throw new CommandError(
      `there is a cluster in ${directory} already, and it was left as it is; restore to another --data-dir`,
    );
  return withScratch(async (scratch) => {
    const unpacked = await unpackSnapshot(file, scratch);
    makeDirectorySync(directory, { mode: 0o700 });
    try {
      for (const name of fs.readdirSync(unpacked.directory)) {
        // A configuration that was put there for the restored cluster wins.
        const target = path.join(directory, name);
        if (name === 'k8ts.yaml' && fs.existsSync(target)) continue;
        fs.cpSync(path.join(unpacked.directory, name), target, {
          recursive: true,
          preserveTimestamps: true,
          verbatimSymlinks: true,
        });
        if (name === 'volumes') keepOwners(path.join(unpacked.directory, name), target);
      }
      await keepNodes(directory);
      const { revision } = await restoreSnapshot({ path: unpacked.store, directory: path.join(directory, 'etcd') });
      return { bytes: unpacked.bytes, revision };
    } catch (error) {
      for (const name of ['etcd', 'pki', 'cluster.json', 'volumes'])
        fs.rmSync(path.join(directory, name), { recursive: true, force: true });
      throw error;
    }
  });
}

/** cp leaves owners behind. */
function keepOwners(from: string, to: string): void {
  const { uid, gid, mode } = fs.lstatSync(from);
  if (process.getuid?.() === 0) fs.lchownSync(to, uid, gid);
  if (fs.lstatSync(from).isSymbolicLink()) return;
  fs.chmodSync(to, mode & 0o7777);
  if (fs.lstatSync(from).isDirectory())
    for (const name of fs.readdirSync(from)) keepOwners(path.join(from, name), path.join(to, name));
}

/**
 * The names of nodes stay. Other kubeconfigs are of the machine that was saved, and the store is a file now: what the record says
 * about an etcd is about members that are not here.
 */
async function keepNodes(directory: string): Promise<void> {
  if (!fs.existsSync(path.join(directory, 'cluster.json'))) return;
  const { nodes, machineNode, standIns } = readClusterRecord(directory) ?? {};
  fs.rmSync(path.join(directory, 'cluster.json'));
  await updateClusterRecord(directory, {
    ...(nodes ? { nodes } : {}),
    ...(machineNode ? { machineNode } : {}),
    ...(standIns ? { standIns } : {}),
  });
}

export async function withScratch<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-snapshot-'));
  try {
    return await use(scratch);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}
