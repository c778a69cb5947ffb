/**
 * Migration from client-side to server-side apply. The annotation kubectl.kubernetes.io/last-applied-configuration
 * tells which fields the manager `kubectl` had applied on the client side: it may change those without a conflict,
 * and the annotation is kept up to date for users who go back.
 */
import { goJsonText, isRecord } from '../../base/index.ts';
import { parseJson } from '../decode/index.ts';
import type { KubeObject } from '../index.ts';
import type { StructApplyType } from './apply-type.ts';
import { compareObjects } from './compare.ts';
import { difference, LEAF, type FieldSet } from './field-set.ts';
import { fieldSetOf } from './to-field-set.ts';
import { typedErrorText } from './typed-errors.ts';

export const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** The manager that may use the annotation. */
export const KUBECTL_MANAGER = 'kubectl';

const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** The fields of the annotation that the object still has unchanged; undefined if the annotation is not usable. */
export function lastAppliedFields(type: StructApplyType, live: KubeObject, apiVersion: string): FieldSet | undefined {
  const text = live.metadata.annotations?.[LAST_APPLIED_ANNOTATION];
  if (!text) return undefined;
  let lastApplied: unknown;
  try {
    lastApplied = parseJson(text).value;
  } catch {
    return undefined;
  }
  if (!isRecord(lastApplied) || lastApplied['apiVersion'] !== apiVersion) return undefined;
  if (typedErrorText(type, live, 'refused') !== undefined) return undefined;
  if (typedErrorText(type, lastApplied, 'refused') !== undefined) return undefined;
  const changes = compareObjects(type, lastApplied, live, LEAF);
  return difference(difference(fieldSetOf(type, lastApplied, LEAF), changes.changed), changes.removed);
}

/** The object with its annotation, if it has one, updated to `applied`. */
export function withLastApplied(object: KubeObject, applied: Readonly<Record<string, unknown>>): KubeObject {
  const { annotations } = object.metadata;
  if (!annotations?.[LAST_APPLIED_ANNOTATION]) return object;
  const { [LAST_APPLIED_ANNOTATION]: _old, ...others } = annotations;
  const text = `${goJsonText(withoutAnnotation(applied), { sorted: true })}\n`;
  let size = Buffer.byteLength(LAST_APPLIED_ANNOTATION) + Buffer.byteLength(text);
  for (const [name, value] of Object.entries(others)) size += Buffer.byteLength(name) + Buffer.byteLength(value);
  const updated = size > MAX_ANNOTATIONS_BYTES ? others : { ...annotations, [LAST_APPLIED_ANNOTATION]: text };
  return { ...object, metadata: { ...object.metadata, annotations: updated } };
}

function withoutAnnotation(applied: Readonly<Record<string, unknown>>): unknown {
  const { metadata } = applied;
  if (!isRecord(metadata) || !isRecord(metadata['annotations'])) return applied;
  const { [LAST_APPLIED_ANNOTATION]: _self, ...annotations } = metadata['annotations'];
  return { ...applied, metadata: { ...metadata, annotations } };
}
