import { isExpired } from './errors.ts';
import type { ListOptions, ObjectList } from './resource-client.ts';

const PAGE_SIZE = 500;

/**
 * Lists with pagination where the server reads from etcd; lists at resourceVersion 0 or NotOlderThan come from its
 * watch cache in one piece. When a continue token expires (410), the whole list is requested in one piece.
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
      /** The token holds the resourceVersion; a second one is an error. */
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
