/** The status of an object belongs to its controllers: plain writes cannot set it, and /status cannot set the rest. */
import { cloneJson } from '../../base/index.ts';
import { canonicalize } from '../../machinery/decode/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { ServedResource } from './served-resource.ts';

/** Kinds with a status subresource; kinds without one keep whatever status they are given. */
export const hasStatusSubresource = (served: ServedResource): boolean => served.subresources['status'] !== undefined;

/** A zero status as it is written: absent, or `{}` with the fields in it that are written even when they are empty. */
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
