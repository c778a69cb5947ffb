/** Validates apiVersion, kind and metadata of embedded resources. */
import type { ObjectMeta } from '../../../api/generated/meta-v1.ts';
import { schema as builtIn } from '../../../api/index.ts';
import { isRecord } from '../../../base/index.ts';
import { conform } from '../../decode/index.ts';
import { type FieldError, invalidValue, isBadInput, type Path, required } from '../../errors/index.ts';
import { dns1035Label, nameIsPathSegment } from '../../names/index.ts';
import { validateObjectMeta } from '../object-meta.ts';
import { additionalOf, isEmbeddedResource, itemsOf, propertyOf, type Schema } from './schema-props.ts';

/** Checks the value itself if it is a resource, and every embedded resource in it. */
export function validateEmbeddedMetadata(
  errors: FieldError[],
  value: unknown,
  schema: Schema | undefined,
  at: Path,
  isResource: boolean,
): void {
  if (!schema) return;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    for (const [i, item] of value.entries())
      validateEmbeddedMetadata(errors, item, items, at.index(i), items ? isEmbeddedResource(items) : false);
    return;
  }
  if (!isRecord(value)) return;
  if (isResource) validateResource(errors, value, at);
  for (const [name, child] of Object.entries(value)) {
    const property = propertyOf(schema, name);
    const next = property ?? additionalOf(schema);
    if (next)
      validateEmbeddedMetadata(errors, child, next, property ? at.child(name) : at.key(name), isEmbeddedResource(next));
  }
}

function validateResource(errors: FieldError[], value: Record<string, unknown>, at: Path): void {
  if (value['apiVersion'] === undefined) errors.push(required(at.child('apiVersion')));
  if (value['kind'] === undefined) errors.push(required(at.child('kind')));
  if (value['apiVersion'] !== undefined) validateApiVersion(errors, value['apiVersion'], at.child('apiVersion'));
  if (value['kind'] !== undefined) validateKind(errors, value['kind'], at.child('kind'));
  if (value['metadata'] !== undefined) validateMetadata(errors, value['metadata'], at.child('metadata'));
}

function validateApiVersion(errors: FieldError[], apiVersion: unknown, at: Path): void {
  if (typeof apiVersion !== 'string') errors.push(invalidValue(at, apiVersion, 'must be a string'));
  else if (apiVersion === '') errors.push(invalidValue(at, apiVersion, 'must not be empty'));
  else if (apiVersion.split('/').length > 2)
    errors.push(invalidValue(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
}

function validateKind(errors: FieldError[], kind: unknown, at: Path): void {
  if (typeof kind !== 'string') errors.push(invalidValue(at, kind, 'must be a string'));
  else if (kind === '') errors.push(invalidValue(at, kind, 'must not be empty'));
  else {
    const messages = dns1035Label(kind.toLowerCase());
    if (messages.length > 0)
      errors.push(invalidValue(at, kind, `may have mixed case, but should otherwise match: ${messages.join(',')}`));
  }
}

function validateMetadata(errors: FieldError[], metadata: unknown, at: Path): void {
  let meta: ObjectMeta;
  try {
    meta = conform(builtIn.message('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'), metadata).object as ObjectMeta;
  } catch (error) {
    if (!isBadInput(error)) throw error;
    errors.push(invalidValue(at, metadata, error.message));
    return;
  }
  // Embedded resources need no name.
  const named = meta.name ? meta : { ...meta, name: 'fakename' };
  validateObjectMeta(errors, named, { namespaced: Boolean(meta.namespace), name: nameIsPathSegment }, at);
}
