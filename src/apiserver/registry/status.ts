/** The status of an object belongs to its controllers: plain writes cannot set it, and /status cannot set the rest. */
import type { KubeObject } from '../../machinery/object.ts';
import type { ServedResource } from './served-resource.ts';

/** Kinds with a status subresource; kinds without one keep whatever status they are given. */
export const hasStatusSubresource = (served: ServedResource): boolean => served.subresources['status'] !== undefined;

export function clearStatus(served: ServedResource, object: KubeObject): void {
  if (!hasStatusSubresource(served)) return;
  const field = served.message.byName.get('status');
  if (field && !field.pointer && !field.omitZero && !served.custom) object['status'] = emptyStatus(served);
  else delete object['status'];
}

/** A zero status as it is written: `{}`, with the fields in it that are written even when they are empty. */
function emptyStatus(served: ServedResource): Record<string, unknown> {
  const status: Record<string, unknown> = {};
  const type = served.message.byName.get('status')?.type;
  if (type?.kind !== 'message') return status;
  for (const field of type.fields) {
    if (!field.keep) continue;
    if (field.pointer || field.type.kind === 'list' || field.type.kind === 'map') status[field.name] = null;
    else if (field.type.kind === 'scalar') status[field.name] = zeroOf(field.type.scalar);
    else status[field.name] = {};
  }
  return status;
}

function zeroOf(scalar: string): unknown {
  if (scalar === 'bool') return false;
  if (scalar === 'int32' || scalar === 'int64' || scalar === 'double') return 0;
  if (scalar === 'Time' || scalar === 'MicroTime') return null;
  return '';
}

export function restoreStatus(object: KubeObject, old: KubeObject): void {
  if (old['status'] === undefined) delete object['status'];
  else object['status'] = structuredClone(old['status']);
}
