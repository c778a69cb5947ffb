/** Freezes an object that readers share. */
import { deepFreeze } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';

/**
 * Of managedFields, which have about as many values as the rest of the object, only what holds them is frozen: nothing but
 * field ownership reads them, and that changes none.
 */
export function freezeObject<T extends KubeObject>(object: T): T {
  for (const { fieldsV1 } of object.metadata?.managedFields ?? []) if (fieldsV1) Object.freeze(fieldsV1);
  return deepFreeze(object);
}
