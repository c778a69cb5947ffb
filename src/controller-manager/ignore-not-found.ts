/** Errors of API calls that a reconciler may ignore: the object is gone, or will be reconciled again anyway. */
import { isConflict, isNotFound } from '../client/index.ts';

/** Undefined when the object does not exist. A conflict is thrown, so that the work queue retries the key. */
export async function ignoreNotFound<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** For periodic controllers: the next period sees the object as it is then. */
export async function ignoreConflictOrNotFound<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
