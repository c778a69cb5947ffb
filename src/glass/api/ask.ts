/** Asks glass.k8ts.dev where the API server has it; on other clusters the same is worked out from the API. */
import { ResourceFinder, isForbidden, isNotFound, type Client } from '../../client/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { Answer } from '../answers.ts';
import { historyOf, type ObjectHistory } from '../history/history.ts';
import { why, type WhyOptions } from '../why/explain.ts';
import { glassPath } from './glass-group.ts';
import { referenceName } from './object-reference.ts';

/** As `why`, and with the decisions of a scheduler that only the API server reaches. */
export async function askWhy(reference: string, options: WhyOptions): Promise<Answer> {
  const [word = '', name = ''] = reference.split('/');
  const finder = options.finder ?? new ResourceFinder(options.client);
  const resource = await finder.byName(word);
  const namespace = resource.namespaced ? (options.namespace ?? 'default') : '';
  const path = glassPath('explanations', namespace, referenceName(resource, name));
  return (
    (await asked<Answer>(options, path, options.maxNodes === Infinity ? { nodes: 'all' } : {})) ??
    why(reference, { ...options, finder })
  );
}

/** As `historyOf`. */
export async function askHistory(options: Parameters<typeof historyOf>[0]): Promise<ObjectHistory> {
  const { resource, name, limit } = options;
  const namespace = resource.namespaced ? options.namespace : '';
  const path = glassPath('histories', namespace, referenceName(resource, name));
  const query: Record<string, string> = limit === undefined ? {} : { limit: String(limit) };
  return (await asked<ObjectHistory>(options, path, query)) ?? historyOf(options);
}

/** undefined where the group is not served, or the user may not ask. */
async function asked<T>(
  { client, signal }: { readonly client: Client; readonly signal?: AbortSignal },
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<T | undefined> {
  try {
    const { body } = await client.request({ method: 'GET', path, query, ...(signal ? { signal } : {}) });
    return (body as { status: T }).status;
  } catch (error) {
    // An object that does not exist is named in the details; a group that does not exist has none.
    const isUnserved = isNotFound(error) && isStatusError(error) && error.status.details?.name === undefined;
    const mayNotAsk = isForbidden(error) && isStatusError(error) && error.status.details?.group === 'glass.k8ts.dev';
    if (isUnserved || mayNotAsk) return undefined;
    throw error;
  }
}
