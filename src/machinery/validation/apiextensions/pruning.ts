/** Pruning: removes fields that the schema does not specify. */
import { isRecord, setOwn } from '../../../base/index.ts';
import {
  additionalOf,
  isEmbeddedResource,
  itemsOf,
  preservesUnknownFields,
  propertyOf,
  type Schema,
} from './schema-props.ts';

const RESOURCE_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);

/** A pruned copy. apiVersion, kind and metadata of a resource are always kept. */
export function pruned(value: unknown, schema: Schema, isResourceRoot: boolean): unknown {
  return pruneValue(value, isResourceRoot ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema);
}

function pruneValue(value: unknown, schema: Schema | undefined): unknown {
  if (schema && preservesUnknownFields(schema)) return pruneKnownParts(value, schema);
  if (Array.isArray(value)) return value.map((item) => pruneValue(item, schema && itemsOf(schema)));
  if (!isRecord(value)) return value;
  return schema ? pruneFields(value, schema, { keepUnknown: false }) : {};
}

/** Keeps unspecified fields and prunes only inside specified ones. */
function pruneKnownParts(value: unknown, schema: Schema | undefined): unknown {
  if (!schema) return value;
  if (Array.isArray(value)) return value.map((item) => pruneKnownParts(item, itemsOf(schema)));
  return isRecord(value) ? pruneFields(value, schema, { keepUnknown: true }) : value;
}

function pruneFields(
  value: Record<string, unknown>,
  schema: Schema,
  { keepUnknown }: { keepUnknown: boolean },
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  const embedded = isEmbeddedResource(schema);
  for (const [name, child] of Object.entries(value)) {
    const property = propertyOf(schema, name);
    if (embedded && RESOURCE_FIELDS.has(name)) setOwn(out, name, child);
    else if (property) setOwn(out, name, pruneValue(child, property));
    else if (schema.additionalProperties != null) setOwn(out, name, pruneValue(child, additionalOf(schema)));
    else if (keepUnknown) setOwn(out, name, child);
  }
  return out;
}
