/** The snapshots that `k8ts up` takes by its flags. */
import path from 'node:path';
import type { Cluster } from '../cluster/index.ts';
import { saveSnapshot } from '../etcd/index.ts';
import type { FlagTable, FlagValues } from '../flags/index.ts';
import type { Context } from '../kernel/index.ts';
import { runScheduledSnapshots, snapshotDirectoryOf } from './scheduled-snapshots.ts';
import { saveWith } from './snapshot.ts';

export const snapshotFlags = {
  'snapshot-interval': {
    kind: 'duration',
    default: 0,
    summary: 'How often the cluster saves a snapshot of itself; 0 for never',
  },
  'snapshot-retention': { kind: 'whole', default: 5, summary: 'How many of these snapshots are kept' },
  'snapshot-dir': { kind: 'text', path: true, summary: 'Where these snapshots are kept (default DIR/snapshots)' },
} as const satisfies FlagTable;

type Values = Partial<FlagValues<typeof snapshotFlags>>;

/** Ends with the context. */
export function startSnapshots(
  ctx: Context,
  { store, directory }: Pick<Cluster, 'store'> & { readonly directory: string },
  values: Values,
): Promise<void> {
  const { 'snapshot-interval': intervalMs = 0, 'snapshot-dir': to } = values;
  const { 'snapshot-retention': retention = snapshotFlags['snapshot-retention'].default } = values;
  if (intervalMs === 0) return Promise.resolve();
  return runScheduledSnapshots(ctx, {
    directory: path.resolve(to ?? snapshotDirectoryOf(directory)),
    intervalMs,
    retention,
    save: (file) => saveWith(async (part) => void (await saveSnapshot(store.snapshot(), part)), { directory, file }),
  });
}
