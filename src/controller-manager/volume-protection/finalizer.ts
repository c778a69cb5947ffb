/** Adds and removes protection finalizers. */
import { type ApiObject } from '../../client/index.ts';
import { hasFinalizer } from '../../component-helpers/index.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';

interface Updatable<T extends ApiObject> {
  update(object: T, options: { signal: AbortSignal }): Promise<T>;
}

/** Adds or removes the finalizer; a deleted object is ignored. */
export async function setFinalizer<T extends ApiObject>(
  resource: Updatable<T>,
  object: T,
  finalizer: string,
  options: { present: boolean; signal: AbortSignal },
): Promise<void> {
  if (hasFinalizer(object, finalizer) === options.present) return;
  const old = object.metadata.finalizers ?? [];
  const finalizers = options.present ? [...old, finalizer] : old.filter((f) => f !== finalizer);
  await ignoreNotFound(() =>
    resource.update({ ...object, metadata: { ...object.metadata, finalizers } }, { signal: options.signal }),
  );
}
