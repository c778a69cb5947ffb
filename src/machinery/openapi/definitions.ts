/** OpenAPI definitions (schemas) of the messages, in the style of either version. Only version 3 has defaults. */
import {
  packages,
  schema,
  type Field,
  type GroupVersionKind,
  type Message,
  type Scalar,
  type Type,
  type UnionDeclaration,
} from '../../api/index.ts';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { enumValues } from './enums.ts';
import { capitalized } from './operations.ts';
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
        ...(type.untyped ? {} : { 'x-kubernetes-list-type': type.listType }),
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
  if (field.statesDefault && field.default !== undefined) return field.default;
  if (field.pointer && !field.statesDefault) return undefined;
  if (field.type.kind === 'message') return {};
  return field.type.kind === 'scalar' && (field.keep || field.statesDefault) ? ZEROS[field.type.scalar] : undefined;
}

function fieldSchema(field: Field, style: Style): JsonObject {
  const name = definitionName(field.type);
  const value = style === 'v3' ? fieldDefault(field) : undefined;
  const more: JsonObject = {
    ...(field.description === '' ? {} : { description: field.description }),
    ...(value === undefined ? {} : { default: value }),
    ...(field.patchStrategy.length > 0 ? { 'x-kubernetes-patch-strategy': field.patchStrategy.join(',') } : {}),
    ...(field.mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.mergeKey }),
    ...(field.granular ? { 'x-kubernetes-map-type': 'granular' } : {}),
    ...(field.atomicBytes ? { 'x-kubernetes-list-type': 'atomic' } : {}),
  };
  return name === undefined ? { ...more, ...typeSchema(field.type, style) } : refWith(name, style, more);
}

export const API_VERSION_AND_KIND: JsonObject = {
  apiVersion: {
    description: 'APIVersion defines the group and version that the object is written in, such as apps/v1.',
    type: 'string',
  },
  kind: { description: 'Kind is a string value that names what the object is, such as Deployment.', type: 'string' },
};

/** `kinds` instead of those that the message has in any document. */
export function messageDefinition(message: Message, style: Style, kinds?: readonly GroupVersionKind[]): JsonObject {
  const special = specialDefinition(message.fullName, style);
  if (special) return special;
  const properties: JsonObject = message.object ? { ...API_VERSION_AND_KIND } : {};
  for (const field of message.fields) properties[field.name] = fieldSchema(field, style);
  const required = message.fields.filter((field) => field.required).map((field) => field.name);
  const gvks = kinds ?? kindsOf(message);
  return {
    ...(message.description === '' ? {} : { description: message.description }),
    type: 'object',
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(message.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(message.union ? { 'x-kubernetes-unions': [unionExtension(message.union)] } : {}),
    ...(gvks.length > 0
      ? { 'x-kubernetes-group-version-kind': gvks.map(({ group, kind, version }) => ({ group, kind, version })) }
      : {}),
  };
}

/** The names of the fields by their Go names, which is what a union's members are called in OpenAPI. */
const unionExtension = ({ discriminator, members }: UnionDeclaration): JsonObject => ({
  ...(discriminator === undefined ? {} : { discriminator }),
  'fields-to-discriminateBy': Object.fromEntries(members.map((name) => [name, capitalized(name)])),
});

/** Kinds of the meta group that every version of every group has. */
const KINDS_OF_EVERY_VERSION = ['DeleteOptions', 'WatchEvent'];

/** The definitions of `KINDS_OF_EVERY_VERSION` in the document of one version, which names that version and v1 only. */
export function definitionsOfVersion(gv: { group: string; version: string }): [string, JsonObject][] {
  const versions = gv.group === '' ? [gv] : [{ group: '', version: 'v1' }, gv];
  return KINDS_OF_EVERY_VERSION.map((kind) => {
    const message = schema.message(`${META}${kind}`);
    return [
      message.fullName,
      messageDefinition(
        message,
        'v3',
        versions.map(({ group, version }) => ({ group, version, kind })),
      ),
    ];
  });
}

/** Groups that the server of custom resources does not know. */
const UNKNOWN_TO_CUSTOM = ['admission.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'imagepolicy.k8s.io'];

/** The definition of DeleteOptions in the documents of custom resources. */
export function deleteOptionsOfCustomResources(): [string, JsonObject] {
  const message = schema.message(`${META}DeleteOptions`);
  const kinds = kindsOf(message).filter(({ group }) => !UNKNOWN_TO_CUSTOM.includes(group));
  return [message.fullName, messageDefinition(message, 'v3', kinds)];
}

/** The kinds of a message; none for messages that are only parts of objects. */
function kindsOf(message: Message): GroupVersionKind[] {
  const { name, fullName } = message;
  if (fullName === `${META}${name}`) {
    if (KINDS_OF_EVERY_VERSION.includes(name)) {
      return registeredVersions().map(({ group, version }) => ({ group, version, kind: name }));
    }
    return message.object ? [{ group: '', version: 'v1', kind: name }] : [];
  }
  if (!message.object) return [];
  return packages
    .filter(({ prefix }) => fullName === `${prefix}.${name}`)
    .map(({ group, version }) => ({ group, version, kind: name }));
}

/**
 * Versions that kube-apiserver knows and does not serve: those of earlier releases, and those of reviews that only
 * webhooks see. DeleteOptions and WatchEvent are registered in them too.
 */
const UNSERVED_VERSIONS = `admission.k8s.io/v1 admission.k8s.io/v1beta1 apiextensions.k8s.io/v1beta1
  apiregistration.k8s.io/v1beta1 apps/v1beta1 apps/v1beta2 authentication.k8s.io/v1alpha1 authentication.k8s.io/v1beta1
  authorization.k8s.io/v1beta1 batch/v1beta1 discovery.k8s.io/v1beta1 events.k8s.io/v1beta1 extensions/v1beta1
  flowcontrol.apiserver.k8s.io/v1beta1 flowcontrol.apiserver.k8s.io/v1beta2 flowcontrol.apiserver.k8s.io/v1beta3
  imagepolicy.k8s.io/v1alpha1 node.k8s.io/v1alpha1 node.k8s.io/v1beta1 policy/v1beta1 rbac.authorization.k8s.io/v1alpha1
  rbac.authorization.k8s.io/v1beta1 scheduling.k8s.io/v1beta1 storage.k8s.io/v1alpha1`.split(/\s+/);

const registeredVersions = (): { group: string; version: string }[] =>
  [
    ...packages.filter(({ kinds }) => kinds.length > 0).map(({ group, version }) => `${group}/${version}`),
    ...UNSERVED_VERSIONS,
  ]
    .sort()
    .map((text) => ({ group: text.slice(0, text.indexOf('/')), version: text.slice(text.indexOf('/') + 1) }));
