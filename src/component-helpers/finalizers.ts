import type { ObjectMeta } from '../api/generated/meta-v1.ts';

export const hasFinalizer = (object: { readonly metadata: ObjectMeta }, finalizer: string): boolean =>
  object.metadata.finalizers?.includes(finalizer) ?? false;
