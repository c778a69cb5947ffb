/** The bytes of a large object for the store, encoded in slices. */
import type { KubeObject } from '../../machinery/index.ts';
import { inSlices } from '../request/in-slices.ts';
import { encodeForStorageSteps } from '../storage/encode-for-storage.ts';
import type { Scope } from './scope.ts';

/** undefined for small objects, which the store encodes itself, and for those with values that JSON.stringify refuses. */
export async function encodeLarge({ isLarge, backend }: Scope, object: KubeObject): Promise<Buffer | undefined> {
  if (!isLarge) return undefined;
  try {
    return await inSlices(backend.ctx.clock, encodeForStorageSteps(object));
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}
