/** Converts the objects of a request to the version that a webhook or policy matched. */
import { apiVersionOf, type GroupVersionKind, schema } from '../../api/index.ts';
import { cloneJson } from '../../base/index.ts';
import { conform } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { toStored, type ServedResource } from '../registry/served-resource.ts';
import type { AdmissionAttributes } from './admission.ts';

/** The version of the resource, and the kind of the objects, that a webhook or policy sees. */
export interface MatchedVersion {
  readonly resource: ServedResource;
  readonly kind: GroupVersionKind;
}

export function requestedVersion({ served, kind }: AdmissionAttributes): MatchedVersion {
  return { resource: served, kind };
}

/** An equivalent resource in place of the request's own. Subresources with another kind (Scale) keep that kind. */
export function equivalentVersion({ served, kind }: AdmissionAttributes, resource: ServedResource): MatchedVersion {
  const isOwnKind = kind.kind === served.kind && kind.group === served.group;
  return {
    resource,
    kind: isOwnKind ? { group: resource.group, version: resource.version, kind: resource.kind } : kind,
  };
}

const sameKind = (a: GroupVersionKind, b: GroupVersionKind): boolean =>
  a.kind === b.kind && a.version === b.version && a.group === b.group;

/** Asynchronous because a custom resource may have a conversion webhook. */
export async function toMatchedVersion(
  attributes: AdmissionAttributes,
  matched: MatchedVersion,
  object: KubeObject | undefined,
): Promise<KubeObject | undefined> {
  if (!object || sameKind(matched.kind, attributes.kind)) return object;
  const stored = await toStored(attributes.served, object);
  return matched.resource.conversion ? matched.resource.conversion.fromStorage(stored) : stored;
}

export async function fromMatchedVersion(
  attributes: AdmissionAttributes,
  matched: MatchedVersion,
  object: KubeObject,
): Promise<KubeObject> {
  if (sameKind(matched.kind, attributes.kind)) return object;
  const stored = await toStored(matched.resource, object);
  return attributes.served.conversion ? attributes.served.conversion.fromStorage(stored) : stored;
}

/** An object with the fields that its kind declares: the options of a CONNECT request have no metadata. */
export function asDeclared({ kind }: MatchedVersion, object: KubeObject | undefined): unknown {
  if (!object) return null;
  const message = schema.kind(kind);
  if (!message || message.byName.has('metadata')) return object;
  const { metadata: _, ...rest } = object;
  return rest;
}

/** Decodes and defaults an object that a webhook or policy has changed. Throws if it does not fit the kind. */
export function decodeMutated({ resource, kind }: MatchedVersion, value: unknown): KubeObject {
  const isOwnKind = kind.kind === resource.kind && kind.group === resource.group;
  const message = isOwnKind ? resource.message : schema.kind(kind);
  if (!message) return value as KubeObject;
  const decoded = (isOwnKind && resource.conform ? resource.conform : conform)(message, cloneJson(value));
  const object = { ...decoded.object, kind: kind.kind, apiVersion: apiVersionOf(kind) } as unknown as KubeObject;
  if (message.byName.has('metadata')) object.metadata ??= {};
  return applyDefaults(kind, object);
}

/** Replaces the contents of `object` in place: the pipeline holds a reference to it. */
export function replaceContents(object: KubeObject, next: KubeObject): void {
  if (object === next) return;
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, next);
}
