/**
 * Encodes objects for the store: JSON that begins with `{"kind":K,"apiVersion":V,"metadata":{` and lacks the
 * resourceVersion, which is the revision of the write.
 */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { goJsonText, type Steps, stringifyJson, stringifySteps } from '../../base/index.ts';
import { allocateBytes } from '../../kernel/index.ts';
import { managedFieldsSteps, managedFieldsText } from '../../machinery/apply/index.ts';
import type { KubeObject } from '../../machinery/index.ts';

export function encodeForStorage(object: KubeObject): Buffer {
  let text = `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)},"metadata":{${metadataMembers(object.metadata)}}`;
  for (const name in object) {
    if (name === 'kind' || name === 'apiVersion' || name === 'metadata') continue;
    const value = isRawField(object, name) ? goJsonText(object[name]) : textOf(object[name]);
    if (value !== undefined) text += `,${JSON.stringify(name)}:${value}`;
  }
  return bytesOf(`${text}}`);
}

/** Upstream keeps the bytes that a Go client has sent; clients compare them with what they would send. */
const isRawField = (object: KubeObject, name: string): boolean =>
  name === 'data' &&
  object.kind === 'ControllerRevision' &&
  object.apiVersion === 'apps/v1' &&
  object[name] !== undefined;

/** The same in steps, for a large object. Throws where JSON cannot hold it. */
export function* encodeForStorageSteps(object: KubeObject): Steps<Buffer> {
  const { managedFields, resourceVersion: _, ...metadata } = object.metadata;
  if (isRawField(object, 'data')) return encodeForStorage(object);
  const { kind, apiVersion, metadata: __, ...fields } = object;
  const own = (yield* stringifySteps(metadata)).slice(1, -1);
  const tracked = managedFields
    ? `${own === '' ? '' : ','}"managedFields":${yield* managedFieldsSteps(managedFields)}`
    : '';
  const rest = (yield* stringifySteps(fields)).slice(1, -1);
  const typeMeta = `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)}`;
  return Buffer.from(`{${typeMeta},"metadata":{${own}${tracked}}${rest === '' ? '' : ','}${rest}}`);
}

/** Field by field: copying the metadata without these two fields would cost more. */
function metadataMembers(metadata: ObjectMeta): string {
  let text = '';
  let name: keyof ObjectMeta;
  for (name in metadata) {
    if (name === 'resourceVersion' || name === 'managedFields') continue;
    const value = textOf(metadata[name]);
    if (value !== undefined) text += `,"${name}":${value}`;
  }
  if (metadata.managedFields) text += `,"managedFields":${managedFieldsText(metadata.managedFields)}`;
  return text.slice(1);
}

const SLAB_BYTES = 64 * 1024;
const MAX_UTF8_BYTES = 3;
let slab = allocateBytes(SLAB_BYTES);
let used = 0;

/** Values share slabs of memory: they go out of use roughly in the order in which they were written. */
function bytesOf(text: string): Buffer {
  const most = text.length * MAX_UTF8_BYTES;
  if (most > SLAB_BYTES / 4) return Buffer.from(text);
  if (most > SLAB_BYTES - used) {
    slab = allocateBytes(SLAB_BYTES);
    used = 0;
  }
  const start = used;
  used += slab.write(text, start, 'utf8');
  return slab.subarray(start, used);
}

/** Raw values may hold bigints or nest deeply. These are rare, and encoded more slowly. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return stringifyJson(value);
  }
}
