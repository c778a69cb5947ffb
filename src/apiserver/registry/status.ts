/** The status belongs to controllers: plain writes cannot change it, and /status changes nothing else. */
import { cloneJson } from '../../base/index.ts';
import { canonicalize } from '../../machinery/decode/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { ServedResource } from './served-resource.ts';

/** Kinds without the subresource accept any status. */
export const hasStatusSubresource = (served: ServedResource): boolean => served.subresources['status'] !== undefined;

/** Resets the status to its zero value: absent, or `{}` with the fields that are always written. */
export function clearStatus(served: ServedResource, object: KubeObject): void {
  if (!hasStatusSubresource(served)) return;
  const field = served.message.byName.get('status');
  const always = field && !field.pointer && !field.omitZero && !served.custom;
  if (always && field.type.kind === 'message') object['status'] = canonicalize(field.type, {});
  else delete object['status'];
}

export function restoreStatus(object: KubeObject, old: KubeObject): void {
  if (old['status'] === undefined) delete object['status'];
  else object['status'] = cloneJson(old['status']);
}
