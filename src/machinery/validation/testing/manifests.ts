/** Test fixtures: manifests of clients, decoded and defaulted for validation. */
import { schema } from '../../../api/index.ts';
import { decodeObject } from '../../decode/index.ts';
import { applyDefaults } from '../../defaulting/index.ts';
import type { KubeObject } from '../../object.ts';
import {
  DEFAULT_VALIDATION_CONTEXT,
  validateCreate,
  validateStatusUpdate,
  validateSubresourceUpdate,
  validateUpdate,
  warningsOnCreate,
  type ValidatedResource,
} from '../index.ts';

export type Manifest = Record<string, unknown>;

interface TestedKind extends ValidatedResource {
  readonly kind: string;
}

export function testedKind(plural: string, group = '', version = 'v1'): TestedKind {
  const resource = schema.resource(group, version, plural);
  if (!resource) throw new Error(`${group}/${version} ${plural} is not declared`);
  return resource;
}

/** Decoded and defaulted, with the metadata that every object has by then. */
export function objectOf(kind: TestedKind, manifest: Manifest): KubeObject {
  const { group, version } = kind;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const namespace = kind.namespaced ? { namespace: 'ns' } : {};
  const metadata = { name: 'a', ...namespace, ...(manifest['metadata'] as object | undefined) };
  const body = Buffer.from(JSON.stringify({ apiVersion, kind: kind.kind, ...manifest, metadata }));
  return applyDefaults(kind, decodeObject({ body, contentType: 'json', expected: kind }).object);
}

/** A stored object, with uid and resourceVersion. */
const storedObjectOf = (kind: TestedKind, manifest: Manifest): KubeObject =>
  objectOf(kind, {
    ...manifest,
    metadata: { uid: 'u1', resourceVersion: '1', ...(manifest['metadata'] as object | undefined) },
  });

const texts = (errors: readonly { toString(): string }[]): string[] => errors.map(String);

export const createErrors = (kind: TestedKind, manifest: Manifest): string[] =>
  texts(validateCreate(kind, objectOf(kind, manifest), DEFAULT_VALIDATION_CONTEXT));

interface Update {
  readonly from: Manifest;
  readonly to: Manifest;
  readonly subresource?: string;
}

export function updateErrors(kind: TestedKind, { from, to, subresource }: Update): string[] {
  const [old, object] = [storedObjectOf(kind, from), storedObjectOf(kind, to)];
  const context = DEFAULT_VALIDATION_CONTEXT;
  if (subresource === undefined) return texts(validateUpdate(kind, object, old, context));
  if (subresource === 'status') return texts(validateStatusUpdate(kind, object, old, context));
  return texts(validateSubresourceUpdate(kind, subresource, { object, old, context }));
}

export const createWarnings = (kind: TestedKind, manifest: Manifest): string[] =>
  warningsOnCreate(kind, objectOf(kind, manifest), DEFAULT_VALIDATION_CONTEXT);
