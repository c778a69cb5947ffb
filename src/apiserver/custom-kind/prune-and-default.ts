/**
 * Pruning and defaulting of custom resources by their structural schema: removes unknown fields (and reports them), drops
 * nulls of non-nullable fields, conforms metadata, sets defaults. A normalized object is one that this would not change;
 * a compiled predicate finds these quickly.
 */
import { schema as builtIn } from '../../api/index.ts';
import { append, cloneJson, isRecord, ownValue, setOwn, stringifyJson } from '../../base/index.ts';
import { conform, type Growth } from '../../machinery/decode/index.ts';
import {
  additionalOf,
  isEmbeddedResource,
  itemsOf,
  preservesUnknownFields,
  propertyOf,
  type Schema,
} from '../../machinery/validation/index.ts';

interface Pruned {
  readonly object: Record<string, unknown>;
  /** `unknown field "spec.a"`: those in metadata first, then the others sorted by path. */
  readonly strictErrors: readonly string[];
}

const OBJECT_META = builtIn.message('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
const RESOURCE_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);
const FIELDS_IN_STRICT_ERROR = /^(unknown|duplicate) field "/;

interface PruneOptions {
  /** Nulls stay where they cannot be, for validation to refuse. */
  readonly keepNulls?: boolean;
}

/** Prunes a copy of the object. Throws a StatusError for invalid metadata. */
export function prune(
  value: Record<string, unknown>,
  schema: Schema | undefined,
  { keepNulls = false }: PruneOptions = {},
): Pruned {
  const pruning = new Pruning(keepNulls);
  const object = schema ? pruning.resource(value, schema) : { ...value };
  const metadataErrors = conformMetadata(object, value);
  return {
    object,
    strictErrors: [
      ...metadataErrors,
      ...pruning.metadataErrors,
      ...pruning.unknown.sort().map((path) => `unknown field "${path}"`),
    ],
  };
}

/** Conforms the metadata of the object, and returns its unknown fields. */
export function conformMetadata(object: Record<string, unknown>, { metadata }: Record<string, unknown>): string[] {
  if (metadata === undefined) return [];
  const conformed = conform(OBJECT_META, metadata ?? {});
  object['metadata'] = conformed.object;
  return conformed.strictErrors.map((error) => error.replace(FIELDS_IN_STRICT_ERROR, '$1 field "metadata.'));
}

class Pruning {
  readonly unknown: string[] = [];
  readonly metadataErrors: string[] = [];
  /** The path of the current value. */
  readonly #path: (string | number)[] = [];
  readonly #keepNulls: boolean;

  constructor(keepNulls: boolean) {
    this.#keepNulls = keepNulls;
  }

  resource(value: Record<string, unknown>, schema: Schema): Record<string, unknown> {
    return this.#fields(value, schema, { isResource: true, keepUnknown: preservesUnknownFields(schema) });
  }

  #pathText(): string {
    return this.#path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
  }

  #recordUnknown(name: string): void {
    this.#path.push(name);
    this.unknown.push(this.#pathText());
    this.#path.pop();
  }

  #value(value: unknown, schema: Schema | undefined): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (schema && preservesUnknownFields(schema)) return this.#knownParts(value, schema);
    if (Array.isArray(value)) {
      const items = schema && itemsOf(schema);
      return this.#items(value, (item) => this.#value(item, items));
    }
    if (schema)
      return this.#fields(value as Record<string, unknown>, schema, {
        isResource: isEmbeddedResource(schema),
        keepUnknown: false,
      });
    for (const name of Object.keys(value)) this.#recordUnknown(name);
    return {};
  }

  #items(list: readonly unknown[], prune: (item: unknown) => unknown): unknown[] {
    return list.map((item, i) => {
      if (typeof item !== 'object' || item === null) return item;
      this.#path.push(i);
      const pruned = prune(item);
      this.#path.pop();
      return pruned;
    });
  }

  /** Keeps unknown fields, but prunes inside the fields that the schema describes. */
  #knownParts(value: unknown, schema: Schema | undefined): unknown {
    if (!schema) return value;
    if (Array.isArray(value)) return this.#items(value, (item) => this.#knownParts(item, itemsOf(schema)));
    if (!isRecord(value)) return value;
    return this.#fields(value, schema, { isResource: isEmbeddedResource(schema), keepUnknown: true });
  }

  #fields(
    value: Record<string, unknown>,
    schema: Schema,
    at: { isResource: boolean; keepUnknown: boolean },
  ): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    const additional = additionalOf(schema);
    const isRoot = this.#path.length === 0;
    for (const name of Object.keys(value)) {
      const child = value[name];
      if (at.isResource && RESOURCE_FIELDS.has(name)) {
        setOwn(out, name, name === 'metadata' && !isRoot ? this.#embeddedMetadata(child) : child);
        continue;
      }
      const described = propertyOf(schema, name) ?? additional;
      if (described || schema.additionalProperties != null) {
        const isStray = child === null && described && !described.nullable && described.default == null;
        if (isStray && !this.#keepNulls) continue;
        if (typeof child !== 'object' || child === null) {
          setOwn(out, name, child);
          continue;
        }
        this.#path.push(name);
        setOwn(out, name, this.#value(child, described));
        this.#path.pop();
      } else if (at.keepUnknown) setOwn(out, name, child);
      else if (!RESOURCE_FIELDS.has(name) || !isRoot) this.#recordUnknown(name);
    }
    return out;
  }

  #embeddedMetadata(value: unknown): unknown {
    if (!isRecord(value)) return value;
    const { object, strictErrors } = conform(OBJECT_META, value);
    const path = this.#pathText();
    append(
      this.metadataErrors,
      strictErrors.map((error) =>
        error.replace(FIELDS_IN_STRICT_ERROR, (_all, what: string) => `${what} field "${path}.metadata.`),
      ),
    );
    return object;
  }
}

/** Sets defaults for missing fields, and for nulls of non-nullable fields, in place. */
export function applySchemaDefaults(value: unknown, schema: Schema | undefined, growth?: Growth): void {
  if (!schema || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    for (let i = 0; i < value.length; i++) {
      if (isDefaultable(value[i], items)) value[i] = defaultOf(items!, growth);
      applySchemaDefaults(value[i], items, growth);
    }
    return;
  }
  const object = value as Record<string, unknown>;
  for (const name in schema.properties) {
    const property = ownValue(schema.properties, name)!;
    if (property.default == null) continue;
    if (!Object.hasOwn(object, name) || isDefaultable(object[name], property))
      setOwn(object, name, defaultOf(property, growth));
  }
  const additional = additionalOf(schema);
  for (const name of Object.keys(object)) {
    const property = propertyOf(schema, name);
    if (!property && isDefaultable(object[name], additional)) setOwn(object, name, defaultOf(additional!, growth));
    applySchemaDefaults(object[name], property ?? additional, growth);
  }
}

/** A copy of the schema's default. */
function defaultOf(schema: Schema, growth: Growth | undefined): unknown {
  if (growth) {
    let length = defaultLengths.get(schema);
    if (length === undefined) defaultLengths.set(schema, (length = stringifyJson(schema.default).length));
    growth.add(length);
  }
  return cloneJson(schema.default);
}

const defaultLengths = new WeakMap<Schema, number>();

const isDefaultable = (value: unknown, schema: Schema | undefined): boolean =>
  value === null && schema !== undefined && !schema.nullable && schema.default != null;

/** Whether pruning and defaulting would not change the value. */
export type IsNormalized = (value: unknown) => boolean;

/** Compiles the check for a whole resource, without its apiVersion, kind and metadata. */
export function compileIsNormalized(schema: Schema): IsNormalized {
  return compile({ ...schema, 'x-kubernetes-embedded-resource': true }, true);
}

const ALWAYS: IsNormalized = () => true;
/** Without a schema, only values without fields are normalized. */
const WITHOUT_FIELDS: IsNormalized = (value) => {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(WITHOUT_FIELDS);
  for (const _ in value) return false;
  return true;
};

function compile(schema: Schema, isRoot = false): IsNormalized {
  const open = preservesUnknownFields(schema);
  const embedded = isEmbeddedResource(schema);
  const items = itemsOf(schema);
  const itemIsNormalized = items ? compile(items) : open ? ALWAYS : WITHOUT_FIELDS;
  const itemsTakeNull = !items || items.nullable === true || items.default == null;
  const additional = additionalOf(schema);
  const others = additional
    ? compileField(additional)
    : schema.additionalProperties != null && !open
      ? WITHOUT_FIELDS
      : open
        ? ALWAYS
        : undefined;
  const properties = new Map<string, IsNormalized>();
  const defaulted: string[] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (embedded && RESOURCE_FIELDS.has(name)) continue;
    properties.set(name, compileField(property));
    if (property.default != null) defaulted.push(name);
  }
  return (value) => {
    if (typeof value !== 'object' || value === null) return true;
    if (Array.isArray(value)) {
      for (const item of value) if ((item === null && !itemsTakeNull) || !itemIsNormalized(item)) return false;
      return true;
    }
    for (const name of defaulted) if (!Object.hasOwn(value, name)) return false;
    for (const name in value) {
      // Metadata of an embedded resource is always conformed when the object is pruned.
      if (embedded && RESOURCE_FIELDS.has(name)) {
        if (!isRoot && name === 'metadata') return false;
        continue;
      }
      const check = properties.get(name) ?? others;
      if (!check || !check((value as Record<string, unknown>)[name])) return false;
    }
    return true;
  };
}

/** For a field, null is normalized only if the field is nullable. */
function compileField(schema: Schema): IsNormalized {
  const isNormalized = compile(schema);
  return schema.nullable ? isNormalized : (value) => value !== null && isNormalized(value);
}
