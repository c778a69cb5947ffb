/** A write that changes only timestamps in managedFields does not count as a write. */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { deepEqual } from '../../base/index.ts';
import type { KubeObject } from '../index.ts';

/** `updated` with the old timestamps if nothing else differs from `live`; otherwise `updated` itself. */
export function ignoreManagedFieldsTimestamps(live: KubeObject, updated: KubeObject): KubeObject {
  const old = live.metadata.managedFields;
  const now = updated.metadata.managedFields;
  if (!old || !now || old.length !== now.length) return updated;
  if (now.every((entry, i) => entry.time === old[i]?.time)) return updated;
  if (!now.every((entry, i) => deepEqual(withoutTime(entry), withoutTime(old[i])))) return updated;
  const restored: KubeObject = { ...updated, metadata: { ...updated.metadata, managedFields: old } };
  return deepEqual(restored, live) ? restored : updated;
}

const withoutTime = (entry: ManagedFieldsEntry | undefined): unknown => ({ ...entry, time: undefined });
