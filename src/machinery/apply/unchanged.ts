/** Writes that change nothing but the times in managedFields do not count as writes. */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { deepEqual } from '../../base/index.ts';
import type { KubeObject } from '../index.ts';

/** `updated` with the old times, when they are all that differs from `live`; otherwise `updated` itself. */
export function keepUnchangedTimes(live: KubeObject, updated: KubeObject): KubeObject {
  const old = live.metadata.managedFields;
  const now = updated.metadata.managedFields;
  if (!old || !now || old.length !== now.length) return updated;
  if (now.every((entry, i) => entry.time === old[i]?.time)) return updated;
  if (!now.every((entry, i) => deepEqual(withoutTime(entry), withoutTime(old[i])))) return updated;
  const restored: KubeObject = { ...updated, metadata: { ...updated.metadata, managedFields: old } };
  return deepEqual(restored, live) ? restored : updated;
}

const withoutTime = (entry: ManagedFieldsEntry | undefined): unknown => ({ ...entry, time: undefined });
