import { apiVersionOf, type GroupVersionKind, schema } from '../../api/index.ts';
/** The objects of a request in the version that a webhook or policy asked for. */
import { cloneJson } from '../../base/index.ts';
import { conform } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { toStored, type ServedResource } from '../registry/served-resource.ts';
import type { AdmissionAttributes } from './admission.ts';

/** The resource, and the kind of the objects, as the webhook or policy sees the request. */
export interface View {
  readonly resource: ServedResource;
  readonly kind: GroupVersionKind;
}

export function ownView({ served, kind }: AdmissionAttributes): View {
  return { resource: served, kind };
}

/** The request as one for another version of its resource; subresources with a kind of their own keep it. */
export function equivalentView({ served, kind }: AdmissionAttributes, resource: ServedResource): View {
  const isOwnKind = kind.kind === served.kind && kind.group === served.group;
  return {
    resource,
    kind: isOwnKind ? { group: resource.group, version: resource.version, kind: resource.kind } : kind,
  };
}

const sameKind = (a: GroupVersionKind, b: GroupVersionKind): boolean =>
  a.kind === b.kind && a.version === b.version && a.group === b.group;

/** Conversion may ask a webhook of the kind's own. */
export async function toView(
  attributes: AdmissionAttributes,
  view: View,
  object: KubeObject | undefined,
): Promise<KubeObject | undefined> {
  if (!object || sameKind(view.kind, attributes.kind)) return object;
  const stored = await toStored(attributes.served, object);
  return view.resource.conversion ? view.resource.conversion.fromStorage(stored) : stored;
}

export async function fromView(attributes: AdmissionAttributes, view: View, object: KubeObject): Promise<KubeObject> {
  if (sameKind(view.kind, attributes.kind)) return object;
  const stored = await toStored(view.resource, object);
  return attributes.served.conversion ? attributes.served.conversion.fromStorage(stored) : stored;
}

/** An object as others are shown it: options of a connection have no metadata. */
export function asDeclared({ kind }: View, object: KubeObject | undefined): unknown {
  if (!object) return null;
  const message = schema.kind(kind);
  if (!message || message.byName.has('metadata')) return object;
  const { metadata: _, ...rest } = object;
  return rest;
}

/** A changed object as the kind's decoding and defaulting make it; fails when it is none of the kind. */
export function decodeChanged({ resource, kind }: View, value: unknown): KubeObject {
  const isOwnKind = kind.kind === resource.kind && kind.group === resource.group;
  const message = isOwnKind ? resource.message : schema.kind(kind);
  if (!message) return value as KubeObject;
  const decoded = (isOwnKind && resource.conform ? resource.conform : conform)(message, cloneJson(value));
  const object = { ...decoded.object, kind: kind.kind, apiVersion: apiVersionOf(kind) } as unknown as KubeObject;
  if (message.byName.has('metadata')) object.metadata ??= {};
  return applyDefaults(kind, object);
}

/** Puts what is in `next` into `object`, which others hold. */
export function replaceContents(object: KubeObject, next: KubeObject): void {
  if (object === next) return;
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, next);
}
