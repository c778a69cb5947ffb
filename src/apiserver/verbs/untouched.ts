/**
 * What a write leaves alone. Parts of the new state that are the live object's own are canonical and frozen: they need
 * not be copied, decoded or compared. A write to /status keeps them as they are, so that the cost of one is that of the
 * status, not of the object.
 */
import { cloneJson, isRecord, setOwn } from '../../base/index.ts';
import { inDeclaredOrder } from '../../machinery/defaulting/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Scope } from './scope.ts';

export interface DividedObject {
  /** What is to be decoded. */
  readonly touched: Record<string, unknown>;
  /** Fields of the live object, metadata aside. */
  readonly untouched: Record<string, unknown>;
  /** The live object's, when they are the new state's too. */
  readonly managedFields: KubeObject['metadata']['managedFields'];
}

/** Whether objects of this kind are stored as they are served: only then are the live object's parts in canonical form. */
const isServedAsStored = ({ custom, conversion }: ServedResource): boolean => !custom && !conversion;

/** undefined where a write has to look at everything. */
export function setAsideUntouched(
  { served, subresource }: Scope,
  live: KubeObject | undefined,
  next: unknown,
): DividedObject | undefined {
  if (!live || !isRecord(next) || !isServedAsStored(served) || (subresource !== '' && subresource !== 'status'))
    return undefined;
  const touched: Record<string, unknown> = {};
  const untouched: Record<string, unknown> = {};
  for (const name in next) {
    const value = next[name];
    const isLives = typeof value === 'object' && value !== null && value === live[name] && name !== 'metadata';
    setOwn(isLives ? untouched : touched, name, value);
  }
  const { metadata } = touched;
  const { managedFields } = live.metadata;
  if (!managedFields || !isRecord(metadata) || metadata['managedFields'] !== managedFields)
    return { touched, untouched, managedFields: undefined };
  const { managedFields: _, ...rest } = metadata;
  touched['metadata'] = rest;
  return { touched, untouched, managedFields };
}

/** The decoded part and what was set aside, as one object again. */
export function putTogether(
  served: ServedResource,
  decoded: KubeObject,
  { untouched, managedFields }: DividedObject,
): KubeObject {
  const object = inDeclaredOrder(served.message, Object.assign(decoded, untouched));
  if (managedFields) object.metadata.managedFields = managedFields;
  return object;
}

/** The object with nothing in it that is the live one's, for those who go on to change it. Writes to /status change the status only. */
export function writable({ subresource }: Scope, live: KubeObject, object: KubeObject): KubeObject {
  if (subresource === 'status') return object;
  for (const name in object) {
    const value = object[name];
    if (typeof value === 'object' && value === live[name]) object[name] = cloneJson(value);
  }
  return object;
}
