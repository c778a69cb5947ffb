import { deepEqual, isRecord } from '../../../base/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';

/** Whether nothing but these fields of the status differs; who owns which field and the version do not count. */
export function unchangedBut(object: KubeObject, old: KubeObject, statusFields: readonly string[]): boolean {
  return deepEqual(reduced(object, statusFields), reduced(old, statusFields));
}

function reduced(object: KubeObject, statusFields: readonly string[]): unknown {
  const { resourceVersion: _, managedFields: __, ...metadata } = object.metadata;
  const { status, ...rest } = object;
  const kept = Object.entries(isRecord(status) ? status : {}).filter(([field]) => !statusFields.includes(field));
  return { ...rest, metadata, status: Object.fromEntries(kept) };
}
