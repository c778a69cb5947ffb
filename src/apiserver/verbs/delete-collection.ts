/** DELETE of a collection: deletes every object that the selectors match and returns the list as it was. */
import { isStatusError } from '../../machinery/errors/index.ts';
import type { EncodedObject, Result } from '../request/request.ts';
import { deleteObject, readDeleteOptions } from './delete.ts';
import { list } from './list.ts';
import type { Scope } from './scope.ts';

const CONCURRENT_DELETIONS = 16;

export async function deleteCollection(scope: Scope): Promise<Result> {
  const options = await readDeleteOptions(scope);
  const listed = await list(scope);
  if (listed.type !== 'list') return listed;
  const pending = [...listed.entries];
  const work = async (): Promise<void> => {
    for (let entry = pending.shift(); entry; entry = pending.shift()) await deleteOne(scope, entry, options);
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENT_DELETIONS, pending.length) }, work));
  return listed;
}

async function deleteOne(
  scope: Scope,
  { namespace, name }: EncodedObject,
  options: Parameters<typeof deleteObject>[1],
): Promise<void> {
  try {
    await deleteObject({ ...scope, place: { namespace, name } }, options);
  } catch (error) {
    // Another client deleted it first, which is fine.
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}
