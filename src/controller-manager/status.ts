/** What controllers do with the status of their objects: conditions, and writes only where something changed. */

import { deepEqual } from '../base/index.ts';
import { isConflict, isNotFound } from '../client/index.ts';

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

/** The fields that say something: counts that are 0, empty texts and empty lists are absent in the API. */
export function withoutZeros<T extends object>(fields: T): { [K in keyof T]?: T[K] } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isZero(value))) as { [K in keyof T]?: T[K] };
}

function isZero(value: unknown): boolean {
  return value === undefined || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);
}

export const findCondition = <C extends { type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined => conditions?.find((c) => c.type === type);

export const withoutCondition = <C extends { type: string }>(conditions: readonly C[] | undefined, type: string): C[] =>
  (conditions ?? []).filter((c) => c.type !== type);

export const sameStatus = (a: unknown, b: unknown): boolean => deepEqual(a, b);

/**
 * A write to an object as it was in the cache. When the object is gone, there is nothing to do. When it has changed, the
 * conflict goes to the queue, which tries the key again: that an event will bring it back is likely, but nobody promises it.
 */
export async function ignoringGone<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** For those who come back regularly anyway: an object that has changed or is gone is looked at again then. */
export async function ignoringStale<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
