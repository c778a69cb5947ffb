import { isExpired } from './errors.ts';
import type { ListOptions, ObjectList } from './resource-client.ts';

const PAGE_SIZE = 500;

/**
 * A whole list, in pages where the server has to read it from the store; lists at revision 0 or at least at a given one
 * come from its cache, in one piece. When a page's token has expired on the way, the list is asked for in one piece.
 */
export async function listPages<T>(
  list: (options: ListOptions) => Promise<ObjectList<T>>,
  options: ListOptions = {},
): Promise<ObjectList<T>> {
  const paged = options.resourceVersion === undefined || options.resourceVersion === '';
  const first = await list(paged ? { limit: PAGE_SIZE, ...options } : options);
  const items = first.items;
  let metadata = first.metadata;
  while (metadata.continue !== undefined && metadata.continue !== '') {
    let page: ObjectList<T>;
    try {
      /** The token holds the revision; naming one beside it is an error. */
      page = await list({
        ...options,
        limit: options.limit ?? PAGE_SIZE,
        resourceVersion: undefined,
        resourceVersionMatch: undefined,
        continue: metadata.continue,
      });
    } catch (error) {
      if (isExpired(error)) return list({ ...options, limit: undefined, resourceVersion: '' });
      throw error;
    }
    items.push(...page.items);
    metadata = page.metadata;
  }
  return { metadata, items };
}
