/** DELETE on a collection: every object that the selectors match; answers with the list as it was. */
import { isStatusError } from '../../machinery/errors/index.ts';
import type { Result } from '../request/result.ts';
import type { Scope } from './scope.ts';
import type { Entry } from '../storage/entry.ts';
import { deleteObject, readDeleteOptions } from './delete.ts';
import { list } from './list.ts';

const AT_ONCE = 16;

export async function deleteCollection(scope: Scope): Promise<Result> {
  const options = await readDeleteOptions(scope);
  const listed = await list(scope);
  if (listed.type !== 'list') return listed;
  const pending = [...listed.entries];
  const work = async (): Promise<void> => {
    for (let entry = pending.shift(); entry; entry = pending.shift()) await deleteOne(scope, entry, options);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, pending.length) }, work));
  return listed;
}

async function deleteOne(scope: Scope, entry: Entry, options: Parameters<typeof deleteObject>[1]): Promise<void> {
  const place = { namespace: entry.namespace, name: entry.name };
  try {
    await deleteObject({ ...scope, place }, options);
  } catch (error) {
    // Somebody else deleted it first: the collection is as empty as was asked for.
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}
