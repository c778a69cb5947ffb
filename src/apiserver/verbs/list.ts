/**
 * GET of a collection. The latest state, or one that is not older than a version, comes from the watch cache; an exact
 * revision, and later pages of a list with a limit, come from the store's history.
 */
import { prefixRange, StoreError } from '../../etcd/index.ts';
import { badRequest, isStatusError, resourceExpired } from '../../machinery/errors/index.ts';
import { viewOf } from '../registry/served-resource.ts';
import { listOptions, type ListOptions } from '../request/options.ts';
import type { ListResult, Result } from '../request/request.ts';
import { requestedVersion } from '../request/resource-version.ts';
import type { Entry } from '../storage/entry.ts';
import { tooLargeResourceVersion } from '../storage/watch-cache.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import type { Scope } from './scope.ts';
import { selectionOf, type Selection } from './selection.ts';

export async function list(scope: Scope): Promise<Result> {
  const options = listOptions(scope.request.query, false);
  const selection = selectionOf(scope, options);
  if (options.continueToken !== '') return listContinued(scope, options, selection);
  const requested = listVersion(options.resourceVersion);
  const revision = Number(requested);
  if (revision > 0) await scope.backend.cache.waitForClient(requested, scope.served);
  if (options.resourceVersionMatch === 'Exact')
    return listAtRevision(scope, options, selection, { revision, from: '' });
  const legacyExact = options.limit > 0 && options.resourceVersionMatch === '' && revision > 0;
  if (legacyExact) return listAtRevision(scope, options, selection, { revision, from: '' });
  if (revision === 0 && options.resourceVersion !== '0') {
    await scope.backend.cache.waitUntilCurrent();
    scope.served.cache.counts.consistentReads++;
  }
  await prepareAll(scope);
  return listFromCache(scope, options, selection);
}

/** Converts until no entry is left to convert: objects may be created meanwhile. */
export async function prepareAll({ served, place }: Scope): Promise<void> {
  while (await served.prepareViews?.(served.cache.list(place.namespace)));
}

/** Upstream answers a malformed resourceVersion of a LIST with 400, that of a GET or a watch with 500. */
function listVersion(text: string): bigint {
  try {
    return requestedVersion(text);
  } catch (error) {
    throw isStatusError(error) ? badRequest(`invalid resource version: ${error.message}`) : error;
  }
}

function listFromCache(scope: Scope, options: ListOptions, selection: Selection): ListResult {
  const { served, place, backend } = scope;
  const revision = backend.cache.revision;
  const limit = options.resourceVersion === '0' ? 0 : options.limit;
  const candidates = pinnedCandidates(scope, selection) ?? served.cache.list(place.namespace);
  const entries: Entry[] = [];
  let more = false;
  let fetched = 0;
  for (const entry of candidates) {
    fetched++;
    if (selection.matches && !selection.matches(entry)) continue;
    entries.push(viewOf(served, entry));
    if (entries.length === limit) {
      // The next page tells whether the selector matches any of the rest.
      more = entry !== candidates.at(-1);
      break;
    }
  }
  const { counts } = served.cache;
  counts.cacheLists++;
  counts.cacheFetched += fetched;
  counts.cacheReturned += entries.length;
  const result: ListResult = { type: 'list', served, entries, resourceVersion: String(revision) };
  if (!more) return result;
  return {
    ...result,
    continueToken: encodeContinue({ revision, after: relativeKey(scope, entries.at(-1)!.key) }),
    ...(selection.matches ? {} : { remainingItemCount: candidates.length - entries.length }),
  };
}

/** A selector on one name needs no walk through all objects. */
function pinnedCandidates(scope: Scope, selection: Selection): readonly Entry[] | undefined {
  const name = selection.pinned.get('metadata.name');
  const namespace = scope.served.namespaced
    ? (selection.pinned.get('metadata.namespace') ?? scope.place.namespace)
    : '';
  if (name === undefined || (scope.served.namespaced && namespace === '')) return undefined;
  const entry = scope.served.cache.get(namespace, name);
  return entry ? [entry] : [];
}

async function listContinued(scope: Scope, options: ListOptions, selection: Selection): Promise<ListResult> {
  const token = decodeContinue(options.continueToken);
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  try {
    // -1 in a token continues with the list as it is now, as clients do after their snapshot has expired.
    const revision = token.revision < 0 ? 0 : token.revision;
    const { oldest } = scope.backend.snapshots;
    if (revision > 0 && revision < oldest) throw new StoreError('compacted', 'the continue token has expired');
    return await listAtRevision(scope, options, selection, { revision, from: `${token.after}\0` });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'compacted') throw error;
    const expired = resourceExpired(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    );
    expired.status.metadata = { continue: encodeContinue({ revision: -1, after: token.after }) };
    throw expired;
  }
}

interface Snapshot {
  /** 0 for the current state. */
  readonly revision: number;
  /** The first key, relative to the collection's prefix. */
  readonly from: string;
}

const PAGE = 500;

async function listAtRevision(
  scope: Scope,
  options: ListOptions,
  selection: Selection,
  at: Snapshot,
): Promise<ListResult> {
  const result = await pageAtRevision(scope, options, selection, at);
  const { counts } = scope.served.cache;
  counts.storageLists++;
  counts.storageReturned += result.entries.length;
  return result;
}

async function pageAtRevision(
  scope: Scope,
  options: ListOptions,
  selection: Selection,
  at: Snapshot,
): Promise<ListResult> {
  const { served, backend } = scope;
  const prefix = collectionPrefix(scope);
  // A selector on one name needs one key only.
  const isInOnePlace = at.from === '' && (!served.namespaced || scope.place.namespace !== '');
  const name = isInOnePlace ? selection.pinned.get('metadata.name') : undefined;
  const end = name === undefined ? { rangeEnd: prefixRange(prefix).rangeEnd } : {};
  if (at.revision > 0) await backend.cache.waitForClient(at.revision, served);
  const entries: Entry[] = [];
  let revision = at.revision;
  let remaining = 0;
  for (let key = prefix + (name ?? at.from); ;) {
    const limit = options.limit > 0 ? (selection.matches ? PAGE : options.limit - entries.length) : 0;
    const page = await rangeAt(scope, { key, ...end, limit, revision });
    revision ||= page.revision;
    const found = page.kvs.map((kv) => ({ kv, entry: backend.cache.entryOf(served.stored, kv) }));
    await served.prepareViews?.(found.map(({ entry }) => entry));
    for (const { kv, entry } of found) {
      if (selection.matches && !selection.matches(entry)) continue;
      entries.push(viewOf(served, entry));
      if (options.limit > 0 && entries.length === options.limit && (page.more || kv !== page.kvs.at(-1))) {
        remaining = page.count - page.kvs.length;
        const result: ListResult = {
          type: 'list',
          served,
          entries,
          resourceVersion: String(revision),
          continueToken: encodeContinue({ revision, after: relativeKey(scope, kv.key) }),
        };
        return selection.matches ? result : { ...result, remainingItemCount: remaining };
      }
    }
    if (!page.more || page.kvs.length === 0)
      return { type: 'list', served, entries, resourceVersion: String(revision) };
    key = `${page.kvs.at(-1)!.key}\0`;
  }
}

async function rangeAt(
  scope: Scope,
  range: { key: string; rangeEnd?: string; limit: number; revision: number },
): ReturnType<Scope['backend']['store']['range']> {
  try {
    const page = await scope.backend.store.range({ ...range, ...(range.revision > 0 ? {} : { revision: 0 }) });
    scope.served.cache.counts.storageFetched += page.kvs.length;
    return page;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'future-revision')
      throw tooLargeResourceVersion(range.revision, scope.backend.cache.revision);
    if (error instanceof StoreError && error.code === 'compacted' && scope.request.query.get('continue') === null) {
      throw resourceExpired(`The resourceVersion for the provided list is too old.`);
    }
    throw error;
  }
}

const collectionPrefix = (scope: Scope): string =>
  scope.served.namespaced && scope.place.namespace !== ''
    ? `${scope.served.stored.prefix}${scope.place.namespace}/`
    : scope.served.stored.prefix;

const relativeKey = (scope: Scope, key: string): string => key.slice(collectionPrefix(scope).length);
