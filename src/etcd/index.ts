/**
 * The store of all cluster state, with etcd's data model: keys, revisions, transactions, watches, leases, compaction.
 * `Store` is the interface; `createMemoryStore` keeps it in memory (tests, simulations), `openEmbeddedStore` in an LMDB
 * file, `createEtcdStore` in a real etcd. `serveEtcd` serves any of them over etcd's v3 gRPC API. One contract suite
 * runs against all of them; errors have etcd's messages.
 */
export {
  BYTES_PER_SIZE,
  bytesOfValue,
  prefixRange,
  StoreError,
  type Alarm,
  type Compare,
  type KeyValue,
  type LazyValue,
  type LeaseStatus,
  type RangeRequest,
  type RangeResult,
  type Store,
  type StoreStatus,
  type TxnOperation,
  type TxnOperationResult,
  type TxnRequest,
  type TxnResult,
  type Watch,
  type WatchBatch,
  type WatchEvent,
  type WatchRequest,
} from './store.ts';
export { createMemoryStore, MemoryStore, type MemoryStoreOptions } from './memory.ts';
export { openEmbeddedStore, type EmbeddedStore, type EmbeddedStoreOptions } from './embedded/store.ts';
export { rewoundState, type MemoryState } from './memory-state.ts';
export { prefixedStore } from './prefixed-store.ts';
export { createEtcdStore, type EtcdStore, type EtcdStoreOptions } from './client/store.ts';
export { EtcdMembers, type EtcdMember, type MemberStatus } from './client/members.ts';
export type { EtcdTls } from './client/channel.ts';
export { serveEtcd, type EtcdFront, type EtcdFrontOptions } from './front/serve.ts';
export type { ListenerTls } from './front/listener.ts';
export { runEtcdCommand, type EtcdCommandOutput } from './command.ts';
export { run, type EtcdConfig } from './command/run.ts';
export { restoreSnapshot, saveSnapshot, snapshotStatus, type SnapshotStatus } from './command/snapshot-file.ts';
export { COMPATIBLE_VERSION } from './mvcc-store.ts';
export { etcdFlags } from './command/flags.ts';
export { etcdSnapshot } from './bbolt/etcd-snapshot.ts';
