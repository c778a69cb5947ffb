/** A finalizer that keeps an object while others use it. */
import { isNotFound, type ApiObject } from '../../client/index.ts';

interface Updatable<T extends ApiObject> {
  update(object: T, options: { signal: AbortSignal }): Promise<T>;
}

export const hasFinalizer = (object: ApiObject, finalizer: string): boolean =>
  (object.metadata.finalizers ?? []).includes(finalizer);

/** Sets or takes away the finalizer; an object that is gone needs none. */
export async function setFinalizer<T extends ApiObject>(
  resource: Updatable<T>,
  object: T,
  finalizer: string,
  options: { present: boolean; signal: AbortSignal },
): Promise<void> {
  if (hasFinalizer(object, finalizer) === options.present) return;
  const old = object.metadata.finalizers ?? [];
  const finalizers = options.present ? [...old, finalizer] : old.filter((f) => f !== finalizer);
  try {
    await resource.update({ ...object, metadata: { ...object.metadata, finalizers } }, { signal: options.signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
