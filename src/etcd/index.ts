/**
 * The store in which all state of a cluster lives, in etcd's own terms. `Store` is the interface; `createMemoryStore`
 * gives one for tests and simulations, `openEmbeddedStore` one in a directory of this machine, `createEtcdStore` one in a
 * real etcd. `serveEtcd` offers any of them over etcd's own API. Revisions, errors and their wording are etcd's.
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
export type { MemoryState } from './memory-state.ts';
export { createEtcdStore, type EtcdStoreOptions } from './client/store.ts';
export type { EtcdTls } from './client/endpoints.ts';
export { serveEtcd, type EtcdFront, type EtcdFrontOptions } from './front/serve.ts';
export type { ListenerTls } from './front/listener.ts';
export { runEtcdCommand, type EtcdCommandOutput } from './command.ts';
export { run, type EtcdConfig } from './command/run.ts';
export { restoreSnapshot, saveSnapshot, snapshotStatus, type SnapshotStatus } from './command/snapshot-file.ts';
export { COMPATIBLE_VERSION } from './mvcc-store.ts';
export { etcdFlags } from './command/flags.ts';
