/**
 * Work on the store of a cluster that does not run: moving between the embedded store and etcd, and restoring a snapshot.
 * Revisions, leases and encrypted values stay as they are. The data of before stays beside the new one.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  createEtcdStore,
  etcdSnapshot,
  openEmbeddedStore,
  restoreSnapshot,
  saveSnapshot,
  snapshotStatus,
  type Store,
} from '../etcd/index.ts';
import { renameDurably, type Context } from '../kernel/index.ts';
import { readClusterRecord, updateClusterRecord } from './data-directory.ts';
import {
  DEFAULT_ETCD_PORT,
  DEFAULT_SNAPSHOTS,
  findEtcd,
  findRestoreTool,
  listEtcdSnapshots,
  memberDirectoryOf,
  restoreMember,
  snapshotDirectoryOf,
  startManagedEtcd,
  type ManagedEtcdOptions,
} from './managed-etcd/index.ts';
import type { Cluster } from './start-cluster.ts';
import type { StoppedWork } from './stopped-work.ts';

export interface StoreWorkRequest {
  readonly work: 'move-to-etcd' | 'move-to-embedded' | 'restore';
  /** The etcd program of a move to etcd; default the one of the PATH. */
  readonly binary?: string | undefined;
  readonly port?: number | undefined;
  /** The snapshot to restore: a file, or `latest`. */
  readonly file?: string | undefined;
}

interface Place {
  readonly directory: string;
  /** Of a new member. */
  readonly member: Pick<ManagedEtcdOptions, 'memberName' | 'address'>;
}

class StoreWorkError extends Error {
  override readonly name = 'StoreWorkError';
  readonly code = 'store-work';
}

/** Checks what can be checked while the cluster runs. */
export async function storeWork(
  { dataDirectory, etcd, advertiseAddress, machine }: Cluster,
  request: Readonly<Record<string, unknown>>,
): Promise<StoppedWork> {
  if (dataDirectory === undefined) throw new StoreWorkError('the cluster is kept in memory alone');
  const text = (name: string): string | undefined =>
    typeof request[name] === 'string' ? (request[name] as string) : undefined;
  const wanted: StoreWorkRequest = {
    work: text('work') as StoreWorkRequest['work'],
    binary: text('binary'),
    file: text('file'),
    port: typeof request['port'] === 'number' ? request['port'] : undefined,
  };
  if (etcd && wanted.work === 'move-to-embedded') {
    const { members } = await etcd.status();
    if (members.length > 1)
      throw new StoreWorkError(
        `etcd has ${members.length} members, and the embedded store is one machine's: "k8ts leave" on the other machines first`,
      );
  }
  const place: Place = {
    directory: dataDirectory,
    member: {
      memberName: machine?.name ?? os.hostname().toLowerCase(),
      address: machine ? advertiseAddress : '127.0.0.1',
    },
  };
  checkStoreWork(place, wanted);
  return (ctx) => runStoreWork(ctx, place, wanted);
}

function checkStoreWork({ directory }: Place, { work, binary, file }: StoreWorkRequest): void {
  const known = readClusterRecord(directory)?.managedEtcd;
  switch (work) {
    case 'move-to-etcd':
      if (known) throw new StoreWorkError('the cluster is kept in etcd already');
      if (!fs.existsSync(path.join(directory, 'etcd')))
        throw new StoreWorkError('the cluster has no embedded store; one of --etcd-servers stays where it is');
      findRestoreTool(findEtcd(binary));
      return;
    case 'move-to-embedded':
      if (!known) throw new StoreWorkError('the cluster is not kept in an etcd that it runs');
      return;
    case 'restore':
      if (!known)
        throw new StoreWorkError(
          'the cluster is not kept in an etcd that it runs; "k8ts snapshot restore" is for others',
        );
      findRestoreTool(findEtcd(binary ?? known.binary));
      snapshotFile(directory, file);
      return;
    default:
      throw new StoreWorkError(`there is no work ${JSON.stringify(work)} on a store`);
  }
}

function snapshotFile(directory: string, file = 'latest'): string {
  if (file !== 'latest') {
    if (!fs.existsSync(file)) throw new StoreWorkError(`there is no file ${file}`);
    return file;
  }
  const [newest] = listEtcdSnapshots(snapshotDirectoryOf(directory));
  if (!newest) throw new StoreWorkError(`there is no snapshot in ${snapshotDirectoryOf(directory)}`);
  return newest.file;
}

/** Of a cluster that does not run. What fails leaves the store as it was. */
export async function runStoreWork(ctx: Context, place: Place, request: StoreWorkRequest): Promise<string> {
  checkStoreWork(place, request);
  const scratch = fs.mkdtempSync(path.join(place.directory, '.store-'));
  try {
    switch (request.work) {
      case 'move-to-etcd':
        return await moveToEtcd(ctx, { ...place, scratch }, request);
      case 'move-to-embedded':
        return await moveToEmbedded(ctx, { ...place, scratch });
      case 'restore':
        return await restore(ctx, place, request);
    }
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

async function moveToEtcd(
  ctx: Context,
  { directory, member, scratch }: Place & { readonly scratch: string },
  { binary, port = DEFAULT_ETCD_PORT }: StoreWorkRequest,
): Promise<string> {
  const embedded = path.join(directory, 'etcd');
  const snapshot = path.join(scratch, 'etcd.db');
  const store = await openEmbeddedStore({ directory: embedded, clock: ctx.clock });
  const before = await saveAs(store, etcdSnapshot(store, scratch), snapshot);
  const managedEtcd: ManagedEtcdOptions = { ...member, port, binary, snapshots: DEFAULT_SNAPSHOTS };
  await restoreMember(ctx, { ...managedEtcd, dataDirectory: directory, snapshot, isOlder: false });
  await withMember(ctx, directory, managedEtcd, async (moved) => compare(before, await contentOf(moved)));
  await updateClusterRecord(directory, { managedEtcd });
  await setAside(embedded);
  return `${before.keys} keys at revision ${before.revision} are in etcd now; the embedded store of before is ${embedded}.before`;
}

async function moveToEmbedded(
  ctx: Context,
  { directory, scratch }: Place & { readonly scratch: string },
): Promise<string> {
  const { managedEtcd } = readClusterRecord(directory)!;
  const snapshot = path.join(scratch, 'etcd.db');
  // Of the running member: its log may have more than its file.
  const before = await withMember(ctx, directory, managedEtcd!, (store) => saveAs(store, store.snapshot(), snapshot));
  const embedded = path.join(directory, 'etcd');
  fs.rmSync(embedded, { recursive: true, force: true });
  await restoreSnapshot({ path: snapshot, directory: embedded });
  const store = await openEmbeddedStore({ directory: embedded, clock: ctx.clock });
  try {
    compare(before, await contentOf(store));
  } finally {
    await store.close();
  }
  await updateClusterRecord(directory, { managedEtcd: undefined });
  await setAside(memberDirectoryOf(directory));
  return `${before.keys} keys at revision ${before.revision} are in the embedded store now; the member of before is ${memberDirectoryOf(directory)}.before`;
}

async function restore(ctx: Context, { directory }: Place, { file, binary }: StoreWorkRequest): Promise<string> {
  const { managedEtcd } = readClusterRecord(directory)!;
  const snapshot = path.resolve(snapshotFile(directory, file));
  const { revision, totalKeys } = await snapshotStatus(snapshot);
  const { join: _, ...member } = { ...managedEtcd!, binary: binary ?? managedEtcd!.binary };
  await restoreMember(ctx, { ...member, dataDirectory: directory, snapshot, isOlder: true });
  await updateClusterRecord(directory, { managedEtcd: member });
  return `restored ${snapshot}, ${totalKeys} keys at revision ${revision}; this machine is the only member now, and other servers must join again`;
}

interface Content {
  readonly revision: number;
  readonly keys: number;
  readonly leases: number;
}

async function contentOf(store: Store): Promise<Content> {
  const { revision, count } = await store.range({ key: '\0', rangeEnd: '\0', countOnly: true });
  return { revision, keys: count, leases: (await store.leases()).length };
}

async function saveAs(store: Store, snapshot: AsyncIterable<Uint8Array>, file: string): Promise<Content> {
  try {
    const content = await contentOf(store);
    await saveSnapshot(snapshot, file);
    return content;
  } finally {
    await store.close();
  }
}

function compare(before: Content, after: Content): void {
  if (before.keys !== after.keys || before.revision !== after.revision || before.leases !== after.leases)
    throw new StoreWorkError(
      `the copy is not the same: ${JSON.stringify(after)} instead of ${JSON.stringify(before)}; the store stays where it was`,
    );
}

/** Runs the member alone: no API server writes to it. */
async function withMember<T>(
  ctx: Context,
  directory: string,
  options: ManagedEtcdOptions,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const etcd = await startManagedEtcd(ctx, directory, options);
  try {
    const store = createEtcdStore({ endpoints: etcd.endpoints, tls: etcd.tls, clock: ctx.clock });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  } finally {
    await etcd.stop();
  }
}

async function setAside(directory: string): Promise<void> {
  fs.rmSync(`${directory}.before`, { recursive: true, force: true });
  await renameDurably(directory, `${directory}.before`);
}
