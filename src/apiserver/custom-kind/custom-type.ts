/** Converts the schema of a definition to the types that server-side apply and managed fields use. */
import {
  schema as builtIn,
  type Field,
  type ListType,
  type Message,
  type ScalarType,
  type Type,
} from '../../api/index.ts';
import {
  additionalOf,
  isEmbeddedResource,
  itemsOf,
  preservesUnknownFields,
  propertiesOf,
  type Schema,
} from '../../machinery/validation/index.ts';

const scalar = (name: ScalarType['scalar'], goType: string): ScalarType => ({
  kind: 'scalar',
  scalar: name,
  goType,
  values: [],
});

const STRING = scalar('string', 'string');
const ANYTHING = scalar('JSON', 'interface {}');
const SCALARS: ReadonlyMap<string, ScalarType> = new Map(
  Object.entries<ScalarType>({
    string: STRING,
    integer: scalar('int64', 'int64'),
    number: scalar('double', 'float64'),
    boolean: scalar('bool', 'bool'),
  }),
);
/** Any string, number or boolean. */
const ANY_SCALAR = scalar('IntOrString', 'intstr.IntOrString');
const OBJECT_META = builtIn.message('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');

/** The message of a custom kind: ObjectMeta, and the fields of the schema. */
export function customMessage(kind: string, schema: Schema | undefined): Message {
  if (!schema) return message(kind, [field('metadata', OBJECT_META)], { object: true, unknownFields: ANYTHING });
  const open = preservesUnknownFields(schema);
  const own = propertiesOf(schema).filter(([name]) => name !== 'metadata' && name !== 'kind' && name !== 'apiVersion');
  const fields = [
    field('metadata', OBJECT_META),
    ...own.map(([name, property]) => field(name, customType(property, open))),
  ];
  return message(kind, fields, { object: true, ...(open ? { unknownFields: ANYTHING } : {}) });
}

/**
 * Looser than validation, which comes later and answers 422: a schema without a type (one of x-kubernetes-int-or-string)
 * takes anything, a string with a format any scalar, and what is below x-kubernetes-preserve-unknown-fields (`open`)
 * any field.
 */
function customType(schema: Schema, above: boolean): Type {
  const open = above || preservesUnknownFields(schema);
  if (schema.type === 'array') return listType(schema, open);
  if (schema.type === 'object') return objectType(schema, open);
  if (schema.type === 'string' && !['', 'byte'].includes(schema.format ?? '')) return ANY_SCALAR;
  return SCALARS.get(schema.type ?? '') ?? ANYTHING;
}

function listType(schema: Schema, open: boolean): ListType {
  const items = itemsOf(schema);
  const element = items ? customType(items, open) : ANYTHING;
  const declared = schema['x-kubernetes-list-type'];
  const merging = declared === 'set' || declared === 'map' ? declared : 'atomic';
  return {
    kind: 'list',
    element,
    listType: merging,
    keys: schema['x-kubernetes-list-map-keys'] ?? [],
    wrapped: false,
    goType: `[]${element.goType}`,
  };
}

function objectType(schema: Schema, open: boolean): Type {
  const properties = propertiesOf(schema);
  const atomic = schema['x-kubernetes-map-type'] === 'atomic';
  const embedded = isEmbeddedResource(schema);
  const others = unknownFields(schema, open);
  if (properties.length === 0 && others && !embedded)
    return { kind: 'map', value: others, atomic, goType: `map[string]${others.goType}` };
  const resourceFields = embedded
    ? [field('apiVersion', STRING), field('kind', STRING), field('metadata', OBJECT_META)]
    : [];
  const reserved = new Set(resourceFields.map(({ name }) => name));
  const own = properties
    .filter(([name]) => !reserved.has(name))
    .map(([name, property]) => field(name, customType(property, open), property.default));
  return message('', [...resourceFields, ...own], { atomic, ...(others ? { unknownFields: others } : {}) });
}

/** The type of undeclared fields; undefined if they are not allowed. */
function unknownFields(schema: Schema, open: boolean): Type | undefined {
  const additional = additionalOf(schema);
  if (additional) return customType(additional, open);
  const undeclared = propertiesOf(schema).length === 0 && !isEmbeddedResource(schema);
  return (schema.additionalProperties ?? (open || undeclared)) === true ? ANYTHING : undefined;
}

function message(name: string, fields: Field[], more: Partial<Message>): Message {
  const byName = new Map(fields.map((one) => [one.name, one]));
  return {
    kind: 'message',
    name,
    fullName: '',
    goType: name,
    description: '',
    object: false,
    atomic: false,
    fields,
    byName,
    wireFields: fields,
    ...more,
  };
}

function field(name: string, type: Type, given?: unknown): Field {
  const fallback =
    typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? given : undefined;
  return {
    name,
    number: 0,
    type,
    description: '',
    pointer: true,
    keep: false,
    omitZero: false,
    required: false,
    default: fallback,
    patchStrategy: [],
    mergeKey: undefined,
    inline: false,
    distinguishesEmpty: false,
    gate: undefined,
  };
}
