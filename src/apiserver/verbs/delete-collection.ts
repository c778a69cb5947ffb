/** DELETE of a collection: deletes every object that the selectors match and returns the list as it was. */
import { isStatusError } from '../../machinery/errors/index.ts';
import { listOptions } from '../request/options.ts';
import type { EncodedObject, Result } from '../request/request.ts';
import { namespaceRequired } from '../request/responses.ts';
import { deleteObject, readDeleteOptions } from './delete.ts';
import { list } from './list.ts';
import type { Scope } from './scope.ts';
import { selectionOf } from './selection.ts';

const CONCURRENT_DELETIONS = 16;

export async function deleteCollection(scope: Scope): Promise<Result> {
  // What is wrong with the list is said first.
  selectionOf(scope, listOptions(scope.request.query, false));
  const options = await readDeleteOptions(scope);
  if (scope.served.namespaced && scope.place.namespace === '') throw namespaceRequired();
  const listed = await list(scope);
  if (listed.type !== 'list') return listed;
  await deleteInOrder(scope, listed.entries, options);
  return listed;
}

type Options = Parameters<typeof deleteObject>[1];

/**
 * Admission judges the objects one after the other, and the first refusal ends the deletion; only the writes to the
 * store overlap.
 */
async function deleteInOrder(scope: Scope, entries: readonly EncodedObject[], options: Options): Promise<void> {
  const writing = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for (const entry of entries) {
    if (writing.size >= CONCURRENT_DELETIONS) await Promise.race(writing);
    if (failures.length > 0) break;
    await new Promise<void>((admitted) => {
      const done = deleteOne(scope, entry, options, admitted)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => {
          writing.delete(done);
          admitted();
        });
      writing.add(done);
    });
  }
  await Promise.all(writing);
  if (failures.length > 0) throw failures[0];
}

async function deleteOne(
  scope: Scope,
  { namespace, name }: EncodedObject,
  options: Options,
  onAdmitted: () => void,
): Promise<void> {
  try {
    await deleteObject({ ...scope, place: { namespace, name } }, options, { onAdmitted });
  } catch (error) {
    // Another client deleted it first, which is fine.
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}
