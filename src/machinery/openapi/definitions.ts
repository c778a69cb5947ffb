import { packages, type Field, type GroupVersionKind, type Message, type Scalar, type Type } from '../../api/index.ts';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { enumValues } from './enums.ts';
/** OpenAPI definitions (schemas) of the messages, in the style of either version. Only version 3 has defaults. */
import { refWith, type Style } from './references.ts';
import { specialDefinition, specialName } from './special-definitions.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

const PLAIN: Readonly<Partial<Record<Scalar, JsonObject>>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

const ZEROS: Readonly<Partial<Record<Scalar, JsonValue>>> = { string: '', bool: false, int32: 0, int64: 0, double: 0 };

/** The name of the definition that a type refers to; undefined for types that are described in place. */
function definitionName(type: Type): string | undefined {
  if (type.kind === 'message') return type.fullName;
  return type.kind === 'scalar' || type.kind === 'union' ? specialName(type) : undefined;
}

/** The schema of the elements of a list or map. */
function elementSchema(type: Type, style: Style): JsonObject {
  const name = definitionName(type);
  if (name !== undefined) return refWith(name, style, style === 'v3' && type.kind === 'message' ? { default: {} } : {});
  const zero = type.kind === 'scalar' ? ZEROS[type.scalar] : undefined;
  return { ...typeSchema(type, style), ...(style === 'v3' && zero !== undefined ? { default: zero } : {}) };
}

function typeSchema(type: Type, style: Style): JsonObject {
  switch (type.kind) {
    case 'scalar': {
      const values = enumValues(type);
      return { ...PLAIN[type.scalar], ...(values ? { enum: values } : {}) };
    }
    case 'list':
      return {
        type: 'array',
        items: elementSchema(type.element, style),
        'x-kubernetes-list-type': type.listType,
        ...(type.listType === 'map' ? { 'x-kubernetes-list-map-keys': [...type.keys] } : {}),
      };
    case 'map':
      return {
        type: 'object',
        additionalProperties: elementSchema(type.value, style),
        ...(type.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      };
    default:
      throw new Error(`openapi: ${type.goType} is a definition of its own`);
  }
}

function fieldDefault(field: Field): JsonValue | undefined {
  if (field.default !== undefined) return field.default;
  if (field.pointer) return undefined;
  if (field.type.kind === 'message') return {};
  return field.type.kind === 'scalar' && field.keep ? ZEROS[field.type.scalar] : undefined;
}

function fieldSchema(field: Field, style: Style): JsonObject {
  const name = definitionName(field.type);
  const value = style === 'v3' ? fieldDefault(field) : undefined;
  const more: JsonObject = {
    ...(field.description === '' ? {} : { description: field.description }),
    ...(value === undefined ? {} : { default: value }),
    ...(field.patchStrategy.length > 0 ? { 'x-kubernetes-patch-strategy': field.patchStrategy.join(',') } : {}),
    ...(field.mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.mergeKey }),
  };
  return name === undefined ? { ...more, ...typeSchema(field.type, style) } : refWith(name, style, more);
}

export const API_VERSION_AND_KIND: JsonObject = {
  apiVersion: {
    description: 'The group and version of the API that the object is written in, such as apps/v1.',
    type: 'string',
  },
  kind: { description: 'The kind of the object, such as Deployment.', type: 'string' },
};

export function messageDefinition(message: Message, style: Style): JsonObject {
  const special = specialDefinition(message.fullName, style);
  if (special) return special;
  const properties: JsonObject = message.object ? { ...API_VERSION_AND_KIND } : {};
  for (const field of message.fields) properties[field.name] = fieldSchema(field, style);
  const required = message.fields.filter((field) => field.required).map((field) => field.name);
  const gvks = kindsOf(message);
  return {
    ...(message.description === '' ? {} : { description: message.description }),
    type: 'object',
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(message.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(gvks.length > 0
      ? { 'x-kubernetes-group-version-kind': gvks.map(({ group, kind, version }) => ({ group, kind, version })) }
      : {}),
  };
}

/** Kinds of the meta group that every version of every group has. */
const KINDS_OF_EVERY_VERSION = ['DeleteOptions', 'WatchEvent'];

/** The kinds of a message; none for messages that are only parts of objects. */
function kindsOf(message: Message): GroupVersionKind[] {
  const { name, fullName } = message;
  if (fullName === `${META}${name}`) {
    if (KINDS_OF_EVERY_VERSION.includes(name)) {
      return servedVersions().map(({ group, version }) => ({ group, version, kind: name }));
    }
    return message.object ? [{ group: '', version: 'v1', kind: name }] : [];
  }
  if (!message.object) return [];
  return packages
    .filter(({ prefix }) => fullName === `${prefix}.${name}`)
    .map(({ group, version }) => ({ group, version, kind: name }));
}

const servedVersions = (): { group: string; version: string }[] =>
  packages
    .filter(({ kinds }) => kinds.length > 0)
    .map(({ group, version }) => ({ group, version }))
    .sort((a, b) => (`${a.group}/${a.version}` < `${b.group}/${b.version}` ? -1 : 1));
