/**
 * The schema: the linked form of the declarations, with resolved types and lookups by name. Everything that
 * depends on the shape of an object (decoding, defaulting, OpenAPI, protobuf, patch, apply) works on these types, and
 * the schema of a custom resource is converted to them.
 */
import type { ColumnDeclaration, SubresourceDeclaration, UnionDeclaration } from './declare.ts';

export type Type = ScalarType | ListType | MapType | Message | UnionType;

export type Scalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'Quantity'
  | 'IntOrString'
  | 'Time'
  | 'MicroTime'
  | 'Duration'
  | 'RawExtension'
  | 'JSON'
  | 'FieldsV1';

export interface ScalarType {
  readonly kind: 'scalar';
  readonly scalar: Scalar;
  /** The type's name in upstream's decoding errors: `int32`, `v1.RestartPolicy`, `resource.Quantity`. */
  readonly goType: string;
  /** The declared values of a named string; empty if any string is allowed. */
  readonly values: readonly string[];
}

export interface ListType {
  readonly kind: 'list';
  readonly element: Type;
  readonly listType: 'atomic' | 'set' | 'map';
  /** The list is atomic without a declaration, so OpenAPI states no list type. */
  readonly untyped?: boolean;
  /** The identifying keys of a `map` list. */
  readonly keys: readonly string[];
  /** In protobuf the list is a message with one repeated field `items` (ExtraValue, Verbs). */
  readonly wrapped: boolean;
  readonly goType: string;
}

export interface MapType {
  readonly kind: 'map';
  readonly value: Type;
  readonly atomic: boolean;
  readonly goType: string;
}

/** Union fields of JSON schema: a schema, or a list of schemas, a boolean, or a list of strings. */
export interface UnionType {
  readonly kind: 'union';
  readonly union: 'JSONSchemaPropsOrArray' | 'JSONSchemaPropsOrBool' | 'JSONSchemaPropsOrStringArray';
  readonly schema: Message;
  readonly goType: string;
}

export interface Message {
  readonly kind: 'message';
  /** `PodSpec` */
  readonly name: string;
  /** `io.k8s.api.core.v1.PodSpec`; empty for the anonymous objects of a custom resource's schema. */
  readonly fullName: string;
  /** `v1.PodSpec` */
  readonly goType: string;
  readonly description: string;
  /** Has apiVersion and kind, which are not among `fields`. */
  readonly object: boolean;
  readonly atomic: boolean;
  readonly union?: UnionDeclaration;
  /** The fields in JSON, with those of inlined messages. */
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** The fields in protobuf; inlined messages are fields marked `inline`. */
  readonly wireFields: readonly Field[];
  /** The type of undeclared fields, in custom resources that preserve them. */
  readonly unknownFields?: Type;
}

export interface Field {
  /** The JSON name. */
  readonly name: string;
  readonly number: number;
  readonly type: Type;
  readonly description: string;
  /** Absent and zero are different. */
  readonly pointer: boolean;
  /** Written even when it is the zero value (null for an absent pointer, list or map). */
  readonly keep: boolean;
  /** A message or time that is omitted if it is zero. */
  readonly omitZero: boolean;
  readonly required: boolean;
  readonly default: string | number | boolean | undefined;
  /** OpenAPI v3 states the default, or the zero value where none is declared. */
  readonly statesDefault?: boolean;
  /** OpenAPI states the map type `granular`. */
  readonly granular?: boolean;
  /** Bytes of which OpenAPI states the list type `atomic`. */
  readonly atomicBytes?: boolean;
  readonly patchStrategy: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly mergeKey: string | undefined;
  readonly inline: boolean;
  /** Defaulting and validation distinguish an empty list or map from an absent one. */
  readonly distinguishesEmpty: boolean;
  readonly gate: string | undefined;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A served resource: a declared kind with its group and version. */
export interface Resource extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: Readonly<Record<string, SubresourceDeclaration>>;
  readonly selectableFields: Readonly<Record<string, string>>;
  readonly columns: readonly ColumnDeclaration[];
  readonly listKind: string;
  readonly message: Message;
  /** The feature gate that must be on for the resource to be served. */
  readonly gate?: string;
  /** The release that deprecated it, `1.34`, and what replaces it: `storage.k8s.io/v1 VolumeAttributesClass`. */
  readonly deprecated?: { readonly since: string; readonly replacement?: string };
}

export interface Schema {
  readonly messages: ReadonlyMap<string, Message>;
  /** In the order of the packages, then of their declarations. */
  readonly resources: readonly Resource[];
  /** By full name; throws for a name that is not declared. */
  message(fullName: string): Message;
  /** The message of an object kind (`Pod`, `PodList`, `Scale`), if the API has it. */
  kind(gvk: GroupVersionKind): Message | undefined;
  resource(group: string, version: string, plural: string): Resource | undefined;
}

/** `v1` or `apps/v1`. */
export function apiVersionOf(gv: { group: string; version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Alpha and beta versions must be asked for. */
export const isServedByDefault = (version: string): boolean => /^v\d+$/.test(version);
