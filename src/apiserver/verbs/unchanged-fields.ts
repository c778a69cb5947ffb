/**
 * Fields of the live object that a write leaves as they are. They are canonical and frozen already, so they need not be copied,
 * decoded or compared: a write to /status costs as much as the status, not as the object. Pays for the bench module
 * `cluster-scale`, whose kubelets write statuses.
 */
import { cloneJson, isRecord, setOwn } from '../../base/index.ts';
import { inDeclaredOrder } from '../../machinery/defaulting/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Scope } from './scope.ts';

interface DividedObject {
  /** To be decoded. */
  readonly changed: Record<string, unknown>;
  /** Fields that are identical to the live object's, without metadata. */
  readonly unchanged: Record<string, unknown>;
  /** The live object's, when the new state has them too. */
  readonly managedFields: KubeObject['metadata']['managedFields'];
}

/** Whether objects are stored in the version that is served: only then are the live object's fields canonical. */
const isServedAsStored = ({ custom, conversion }: ServedResource): boolean => !custom && !conversion;

/** undefined where all of the new state has to be decoded. */
export function divideByChange(
  { served, subresource, backend }: Scope,
  live: KubeObject | undefined,
  next: unknown,
): DividedObject | undefined {
  if (!backend.sparesUnchangedFields) return undefined;
  if (!live || !isRecord(next) || !isServedAsStored(served) || (subresource !== '' && subresource !== 'status'))
    return undefined;
  const changed: Record<string, unknown> = {};
  const unchanged: Record<string, unknown> = {};
  for (const name in next) {
    const value = next[name];
    const isLive = typeof value === 'object' && value !== null && value === live[name] && name !== 'metadata';
    setOwn(isLive ? unchanged : changed, name, value);
  }
  const { metadata } = changed;
  const { managedFields } = live.metadata;
  if (!managedFields || !isRecord(metadata) || metadata['managedFields'] !== managedFields)
    return { changed, unchanged, managedFields: undefined };
  const { managedFields: _, ...rest } = metadata;
  changed['metadata'] = rest;
  return { changed, unchanged, managedFields };
}

/** The decoded fields and the unchanged ones, as one object. */
export function joinUnchanged(
  served: ServedResource,
  decoded: KubeObject,
  { unchanged, managedFields }: DividedObject,
): KubeObject {
  const object = inDeclaredOrder(served.message, Object.assign(decoded, unchanged));
  if (managedFields) object.metadata.managedFields = managedFields;
  return object;
}

/** The object with copies of the live object's fields, which are frozen. Writes to /status change the status alone and need none. */
export function withOwnFields({ subresource }: Scope, live: KubeObject, object: KubeObject): KubeObject {
  if (subresource === 'status') return object;
  for (const name in object) {
    const value = object[name];
    if (typeof value === 'object' && value === live[name]) object[name] = cloneJson(value);
  }
  return object;
}
