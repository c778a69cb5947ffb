/** The bytes of a large object for the store, encoded in slices; the object's fields are frozen, as the store would do at once. */
import { freezeSteps } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { inSlices } from '../request/in-slices.ts';
import { encodeForStorageSteps } from '../storage/encode-for-storage.ts';
import type { Scope } from './scope.ts';

/** undefined for small objects, which the store encodes itself, and for those that nest too deeply. */
export async function encodeLarge(
  { isLarge, backend }: Pick<Scope, 'isLarge' | 'backend'>,
  object: KubeObject,
): Promise<Buffer | undefined> {
  if (!isLarge) return undefined;
  try {
    const bytes = await inSlices(backend.ctx.clock, encodeForStorageSteps(object));
    // The object itself and its metadata get a resourceVersion later. The store freezes the rest of the metadata.
    const { metadata: _, ...fields } = object;
    for (const value of Object.values(fields)) await inSlices(backend.ctx.clock, freezeSteps(value));
    return bytes;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
