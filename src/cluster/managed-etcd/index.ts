/**
 * etcd on the machines of the control plane: each runs a member, `run-etcd.ts`, with certificates of a CA of its own.
 * Members come and go in the safe order, `join-members.ts`; the consensus is etcd's.
 */
export {
  DEFAULT_ETCD_PORT,
  DEFAULT_SNAPSHOTS,
  memberDirectoryOf,
  memberUrls,
  snapshotDirectoryOf,
  type ManagedEtcdOptions,
} from './etcd-options.ts';
export type { EtcdStatus } from './etcd-status.ts';
export { removeMember } from './join-members.ts';
export { findEtcd, findRestoreTool } from './programs.ts';
export { restoreMember } from './restore-member.ts';
export { listEtcdSnapshots, saveEtcdSnapshot } from './scheduled-snapshots.ts';
export { startManagedEtcd, type ManagedEtcd } from './start-managed-etcd.ts';
