/**
 * The revisions of an object that the store still has, from the API alone: a list at an exact revision shows the object as it
 * was, and its resourceVersion is the revision that made it so.
 */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { deepEqual, formatTime, parseTime } from '../../base/index.ts';
import {
  isExpired,
  type ApiObject,
  type Client,
  type DiscoveredResource,
  type ListOptions,
} from '../../client/index.ts';
import type { RecordedSpan } from '../../kernel/index.ts';
import { fieldEquals } from '../../machinery/selectors/index.ts';
import { spanTitle } from '../trace/text.ts';
import { changesBetween, withoutSecrets, type FieldChange } from './changes.ts';

export interface Revision {
  readonly revision: number;
  readonly event: 'created' | 'updated' | 'deleted' | 'oldest';
  /** RFC 3339; of the commit where it is recorded, otherwise of the newest managed fields. */
  readonly time?: string;
  /** Who wrote it, where that is recorded. */
  readonly user?: string;
  /** The field manager of the newest managed fields. */
  readonly manager?: string;
  /** What the write was part of, where that is recorded. */
  readonly cause?: string;
  readonly changes: readonly FieldChange[];
  /** The object as it was; absent after its deletion. */
  readonly object?: ApiObject;
}

export interface ObjectHistory {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The newest first. */
  readonly revisions: readonly Revision[];
}

interface HistoryOptions {
  readonly client: Client;
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly name: string;
  /** What the API server has recorded; none on other clusters. */
  readonly spans: readonly RecordedSpan[];
  readonly signal?: AbortSignal;
  /** How many to read at most; default 200. */
  readonly limit?: number;
}

const LIMIT = 200;

export async function historyOf(options: HistoryOptions): Promise<ObjectHistory> {
  const { resource, name, limit = LIMIT } = options;
  const namespace = resource.namespaced ? options.namespace : '';
  const commits = commitsOf({ ...options, namespace });
  const versions = await versionsOf({ ...options, namespace }, commits, limit);
  const { kind } = resource;
  const revisions = versions.map(({ revision, object }, i): Revision => {
    const before = versions[i + 1];
    const event = eventOf(object, before, versions.length === limit || before?.object !== undefined);
    const changes =
      event === 'updated' ? withoutSecrets(kind, changesBetween(before?.object, object)) : ([] as FieldChange[]);
    return {
      revision,
      event,
      ...attribution(object, before?.object, commits.get(revision)),
      changes,
      ...(object ? { object } : {}),
    };
  });
  // A state before the object existed is not one of its revisions.
  return { kind, namespace, name, revisions: revisions.filter(({ event }, i) => event !== 'deleted' || i === 0) };
}

interface Version {
  readonly revision: number;
  readonly object: ApiObject | undefined;
}

function eventOf(
  object: ApiObject | undefined,
  before: Version | undefined,
  isKnownBefore: boolean,
): Revision['event'] {
  if (!object) return 'deleted';
  if (before?.object) return before.object.metadata.uid === object.metadata.uid ? 'updated' : 'created';
  if (before) return 'created';
  return isKnownBefore ? 'updated' : 'oldest';
}

/** From the newest version to the oldest that the store has. */
async function versionsOf(
  options: HistoryOptions,
  commits: ReadonlyMap<number, Commit>,
  limit: number,
): Promise<Version[]> {
  const versions: Version[] = [];
  let { object, revision } = await readNewest(options);
  if (!object) {
    const last = Math.max(0, ...commits.keys());
    if (last === 0) return [];
    versions.push({ revision: last, object: undefined });
    revision = last - 1;
    object = await readAt(options, revision).catch(ifExpired);
  }
  while (object && versions.length < limit) {
    revision = Number(object.metadata.resourceVersion);
    versions.push({ revision, object });
    const before: ApiObject | 'expired' | undefined = await readAt(options, revision - 1).catch(
      (error: unknown) => ifExpired(error) ?? ('expired' as const),
    );
    if (before === 'expired') break;
    object = before;
    if (!object) versions.push({ revision: revision - 1, object: undefined });
  }
  return versions;
}

/** The store does not have that revision any more. */
function ifExpired(error: unknown): undefined {
  if (!isExpired(error)) throw error;
  return undefined;
}

async function readNewest({ client, resource, ...options }: HistoryOptions) {
  const { items, metadata } = await client.resource(resource).list(selecting(options));
  return { object: items[0] as ApiObject | undefined, revision: Number(metadata.resourceVersion) };
}

async function readAt({ client, resource, ...options }: HistoryOptions, revision: number) {
  const { items } = await client
    .resource(resource)
    .list({ ...selecting(options), resourceVersion: String(revision), resourceVersionMatch: 'Exact' });
  return items[0] as ApiObject | undefined;
}

const selecting = ({
  namespace,
  name,
  signal,
}: Pick<HistoryOptions, 'namespace' | 'name' | 'signal'>): ListOptions => ({
  ...(namespace === '' ? {} : { namespace }),
  fieldSelector: fieldEquals('metadata.name', name),
  ...(signal ? { signal } : {}),
});

interface Commit {
  readonly at: number;
  readonly request: RecordedSpan | undefined;
  readonly cause: RecordedSpan | undefined;
}

function commitsOf({ spans, resource, namespace, name }: HistoryOptions): ReadonlyMap<number, Commit> {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const commits = new Map<number, Commit>();
  for (const span of spans) {
    const { attributes } = span;
    const isOfObject =
      span.name === 'commit' &&
      attributes['k8s.resource'] === resource.plural &&
      attributes['k8s.group'] === resource.group &&
      attributes['k8s.namespace.name'] === namespace &&
      attributes['k8s.object.name'] === name;
    if (!isOfObject) continue;
    const request = byId.get(span.parent);
    const cause = request && byId.get(request.parent);
    commits.set(Number(attributes['etcd.revision']), { at: span.endedAt ?? span.startedAt, request, cause });
  }
  return commits;
}

function attribution(
  object: ApiObject | undefined,
  before: ApiObject | undefined,
  commit: Commit | undefined,
): Pick<Revision, 'time' | 'user' | 'manager' | 'cause'> {
  const newest = changedFields(object, before);
  const time = commit ? formatTime(commit.at) : newest?.time;
  const user = commit?.request?.attributes['user.name'];
  return {
    ...(time === undefined ? {} : { time }),
    ...(typeof user === 'string' ? { user } : {}),
    ...(newest?.manager === undefined ? {} : { manager: newest.manager }),
    ...(commit?.cause ? { cause: spanTitle(commit.cause) } : {}),
  };
}

/** The managed fields that the write changed, or those that were changed last. */
function changedFields(object: ApiObject | undefined, before: ApiObject | undefined): ManagedFieldsEntry | undefined {
  const fields = object?.metadata.managedFields ?? [];
  const earlier = before?.metadata.managedFields ?? [];
  const changed = fields.filter((entry) => !earlier.some((known) => deepEqual(known, entry)));
  return (changed.length > 0 ? changed : fields).reduce<ManagedFieldsEntry | undefined>(
    (latest, entry) => ((entry.time ?? '') >= (latest?.time ?? '') ? entry : latest),
    undefined,
  );
}

/** The object as it was at a time; undefined when it did not exist or the store does not reach back that far. */
export function revisionAt({ revisions }: ObjectHistory, time: number): Revision | undefined {
  return revisions.find((revision) => revision.time !== undefined && parseTime(revision.time) <= time);
}

/** The newest revision that was committed by then, as recorded; undefined when that is not recorded any more. */
export function clusterRevisionAt(spans: readonly RecordedSpan[], time: number): number | undefined {
  const commit = spans.findLast(({ name, endedAt = Infinity }) => name === 'commit' && endedAt <= time);
  const revision = commit?.attributes['etcd.revision'];
  return typeof revision === 'number' ? revision : undefined;
}
