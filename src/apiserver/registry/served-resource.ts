/** A resource as it is served: its declaration, its strategy, and where it is stored. */
import type {
  CustomResourceDefinitionSpec,
  CustomResourceSubresourceScale,
} from '../../api/generated/apiextensions-v1.ts';
import type { GroupVersionKind, Message, Resource, Type } from '../../api/index.ts';
import type { OtherVersions } from '../../machinery/apply/index.ts';
import type { Conformed, DecodedObject, DecodeRequest, Growth } from '../../machinery/decode/index.ts';
import type { GroupKind, GroupResource, StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { CustomResourceApi } from '../../machinery/openapi/index.ts';
import type { TablePrinter } from '../../machinery/table/index.ts';
import type { KindValidation } from '../../machinery/validation/index.ts';
import type { Entry, ViewConversion } from '../storage/entry.ts';
import type { CachedResource, ResourceCache } from '../storage/resource-cache.ts';
import type { Strategy } from './strategy.ts';

/** Where the objects of a kind are stored; shared by all versions and groups that serve the kind. */
export interface StoredKind extends CachedResource {
  readonly prefix: string;
  readonly namespaced: boolean;
  /** The version that is stored. */
  readonly apiVersion: string;
  readonly kind: string;
}

export interface ServedResource extends Resource {
  readonly groupResource: GroupResource;
  readonly strategy: Strategy;
  readonly stored: StoredKind;
  readonly cache: ResourceCache;
  /** Absent when the served version is the stored one. */
  readonly conversion?: {
    fromStorage: ViewConversion;
    toStorage(object: KubeObject): KubeObject | Promise<KubeObject>;
  };
  /** Converts entries ahead of use where a webhook converts; whether it converted any. */
  readonly prepareViews?: (entries: readonly Entry[]) => Promise<boolean>;
  /** Why no object can be created, while the CustomResourceDefinition is being deleted. */
  readonly createRefusal?: (name: string) => StatusError;
  /** What discovery lists instead of `verbs`. */
  readonly listedVerbs?: readonly string[];
  /** How a custom resource's bodies are decoded, by its schema. */
  readonly decode?: (request: DecodeRequest, growth?: Growth) => DecodedObject;
  readonly conform?: (message: Message, value: unknown, growth?: Growth) => Conformed;
  /** The same for the result of an apply. */
  readonly conformApplied?: (message: Message, value: unknown, growth?: Growth) => Conformed;
  /** A custom resource's part of the OpenAPI documents. */
  readonly openapi?: CustomResourceApi;
  /** A custom resource: items of its lists carry kind and apiVersion, unknown fields follow its schema. */
  readonly custom: boolean;
  /** Built-in kinds have theirs in the validation registry. */
  readonly validation?: KindValidation<KubeObject>;
  /** The other versions of the kind, for field managers that wrote in them. */
  readonly versions?: OtherVersions;
  readonly printer?: TablePrinter;
  /** The version that the resource is stored in. */
  readonly storage?: GroupVersionKind;
  /** The definition of a custom resource; the same object for all of its versions. */
  readonly definition?: CustomResourceDefinitionSpec;
  /** The paths of a custom resource's scale subresource. */
  readonly scale?: CustomResourceSubresourceScale;
}

/** The kind in validation errors: a view of another group's kind uses that group. */
export const errorKind = (served: ServedResource): GroupKind =>
  served.stored.kind === served.kind && served.conversion
    ? { group: groupOf(served.stored.apiVersion), kind: served.kind }
    : served;

/** The kind in error messages: a custom resource may be sent under another kind, and is refused under that name. */
export const kindOf = (served: ServedResource, object: KubeObject): GroupKind =>
  served.custom ? { group: served.group, kind: object.kind } : errorKind(served);

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion.split('/')[0]! : '');

export const viewOf = (served: ServedResource, entry: Entry): Entry =>
  served.conversion ? entry.view(served.conversion.fromStorage) : entry;

export const toStored = (served: ServedResource, object: KubeObject): KubeObject | Promise<KubeObject> =>
  served.conversion ? served.conversion.toStorage(object) : object;

/**
 * The object after conversion to the stored version and back: fields that this version carries in annotations appear
 * there.
 */
export function throughStorage(served: ServedResource, object: KubeObject): KubeObject {
  if (!served.conversion || served.custom) return object;
  const stored = served.conversion.toStorage(object);
  return stored instanceof Promise ? object : served.conversion.fromStorage(stored);
}

/** The stored metadata, without the annotations that carry fields of the stored version. */
export function storedMetadata(served: ServedResource, object: KubeObject): KubeObject['metadata'] {
  const { internalMetadata } = served.strategy;
  if (internalMetadata) return internalMetadata(object.metadata);
  if (!served.conversion || served.custom) return object.metadata;
  const stored = served.conversion.toStorage(object);
  return stored instanceof Promise ? object.metadata : stored.metadata;
}

type FieldReader = (object: KubeObject) => Record<string, string>;

/** The values that field selectors compare: each field as text, or the text of its zero value. */
export function selectableFieldReader(
  resource: Pick<Resource, 'selectableFields' | 'namespaced' | 'message'> & { readonly custom?: boolean },
): FieldReader {
  const readers = Object.entries(resource.selectableFields).map(([label, declared]) => {
    const paths = (resource.custom ? [declared] : declared.split('|')).map((path) => path.split('.'));
    return { label, paths, zero: resource.custom ? '' : zeroText(resource.message, paths[0]!) };
  });
  return (object) => {
    const fields: Record<string, string> = { 'metadata.name': object.metadata.name ?? '' };
    if (resource.namespaced) fields['metadata.namespace'] = object.metadata.namespace ?? '';
    for (const { label, paths, zero } of readers) fields[label] = firstText(object, paths) ?? zero;
    return fields;
  };
}

function firstText(object: unknown, paths: readonly (readonly string[])[]): string | undefined {
  if (paths.length === 1) return textAt(object, paths[0]!);
  for (const steps of paths) {
    const text = textAt(object, steps);
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}

function textAt(object: unknown, steps: readonly string[]): string | undefined {
  let at: unknown = object;
  for (const step of steps)
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined;
  if (at === undefined || at === null) return undefined;
  return typeof at === 'object' ? JSON.stringify(at) : String(at);
}

function zeroText(message: Message, steps: readonly string[]): string {
  let type: Type = message;
  for (const step of steps) {
    if (type.kind !== 'message') return '';
    const field = type.byName.get(step);
    if (!field) return '';
    type = field.type;
  }
  if (type.kind !== 'scalar') return '';
  if (type.scalar === 'bool') return 'false';
  return type.scalar === 'int32' || type.scalar === 'int64' ? '0' : '';
}
