import { deepEqual, isRecord } from '../../../base/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';

/** Whether the objects differ only in these status fields; resourceVersion and managedFields are ignored. */
export function onlyStatusFieldsChanged(object: KubeObject, old: KubeObject, statusFields: readonly string[]): boolean {
  return deepEqual(withoutStatusFields(object, statusFields), withoutStatusFields(old, statusFields));
}

function withoutStatusFields(object: KubeObject, statusFields: readonly string[]): unknown {
  const { resourceVersion: _, managedFields: __, ...metadata } = object.metadata;
  const { status, ...rest } = object;
  const others = Object.entries(isRecord(status) ? status : {}).filter(([field]) => !statusFields.includes(field));
  return { ...rest, metadata, status: Object.fromEntries(others) };
}
