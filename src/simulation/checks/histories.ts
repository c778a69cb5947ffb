/** Checks of what clients are told: answers and watches agree with what the store has committed. */
import type { KubeObject } from '../../machinery/index.ts';
import type { Exchange } from '../world/network.ts';
import { idOf, type Change, type StoreLog } from '../world/store-log.ts';
import type { Check, CheckContext, Verdict } from './check.ts';

/** The clocks of API servers jump by up to an hour, and drift. */
const MAX_CLOCK_ERROR_MS = 2 * 3_600_000;

const isSuccess = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300;

/** The object in an answer, if it is one that the store has. */
function storedObject({ body }: Exchange, log: StoreLog): KubeObject | undefined {
  const object = body as KubeObject | undefined;
  const { metadata, kind } = object ?? {};
  if (!metadata?.resourceVersion || !metadata.uid || kind === undefined) return undefined;
  const history = log.history(kind, idOf(object!));
  return history.some(({ before, after }) => (after ?? before)?.metadata.uid === metadata.uid) ? object : undefined;
}

const isDryRun = ({ request }: Exchange): boolean => request.query?.['dryRun'] !== undefined;
const isSubresource = ({ request }: Exchange): boolean =>
  /\/(scale|eviction|binding|token|log|exec)$/.test(request.path);

/** Between a change and the next one of the same object, the object was so. */
function versionAt(
  history: readonly Change[],
  revision: number,
): { change: Change; next: Change | undefined } | undefined {
  const index = history.findIndex((change) => change.revision === revision);
  return index < 0 ? undefined : { change: history[index]!, next: history[index + 1] };
}

const describe = ({ process, server, request }: Exchange): string =>
  `${process} was told by ${server} about ${request.method} ${request.path}`;

function linearizableRead(exchange: Exchange, { log, looked }: CheckContext): Verdict {
  const object = storedObject(exchange, log);
  if (object === undefined) return undefined;
  looked();
  const revision = Number(object.metadata.resourceVersion);
  const found = versionAt(log.history(object.kind, idOf(object)), revision);
  if (!found)
    return `${describe(exchange)}: revision ${revision} of ${object.kind} ${idOf(object)} was never committed`;
  if (found.change.at > exchange.answeredAt)
    return `${describe(exchange)}: revision ${revision} was committed after the answer`;
  if (found.next !== undefined && found.next.at < exchange.sentAt)
    return `${describe(exchange)}: revision ${revision} was replaced by ${found.next.revision} before the request was sent`;
  return undefined;
}

function acknowledgedWrite(exchange: Exchange, { log, looked }: CheckContext): Verdict {
  const object = storedObject(exchange, log);
  if (object === undefined) return undefined;
  looked();
  const revision = Number(object.metadata.resourceVersion);
  const found = versionAt(log.history(object.kind, idOf(object)), revision);
  if (!found) return `${describe(exchange)}: it was acknowledged at revision ${revision}, which was never committed`;
  if (found.change.at > exchange.answeredAt)
    return `${describe(exchange)}: it was acknowledged before revision ${revision} was committed`;
  return undefined;
}

/** An object that a client is told does not exist was absent at some time between request and answer. */
function truthfulNotFound(exchange: Exchange, { log, looked }: CheckContext): Verdict {
  const { request } = exchange;
  const { details } = (exchange.body ?? {}) as { details?: { kind?: string; name?: string } };
  const parts = /\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(request.path);
  const kind = KINDS_OF_RESOURCES.get(parts?.[2] ?? '');
  if (!parts || kind === undefined || details?.name !== parts[3]) return undefined;
  const history = log.history(kind, `${parts[1]}/${parts[3]}`);
  if (history.length === 0) return undefined;
  looked();
  const absent = history.some((change, i) => {
    if (change.after !== undefined) return i === 0 && change.before === undefined && change.at >= exchange.sentAt;
    const next = history[i + 1];
    return change.at <= exchange.answeredAt && (next === undefined || next.at >= exchange.sentAt);
  });
  const beganLater = history[0]!.at >= exchange.sentAt;
  return absent || beganLater ? undefined : `${describe(exchange)}: it was said not to exist, and existed all the time`;
}

/** Resources whose absence is looked at. */
const KINDS_OF_RESOURCES = new Map<string, string>(
  Object.entries({
    pods: 'Pod',
    configmaps: 'ConfigMap',
    deployments: 'Deployment',
    replicasets: 'ReplicaSet',
    statefulsets: 'StatefulSet',
    jobs: 'Job',
    services: 'Service',
    leases: 'Lease',
  }),
);

/** `resourceVersion` allows an older answer. */
const isConsistentRead = ({ request }: Exchange): boolean => request.query?.['resourceVersion'] === undefined;

export const historyChecks = {
  'reads-are-linearizable': {
    because:
      'a read that names no resourceVersion returns the newest state at some time between its request and its answer',
    answered(exchange, context) {
      const { request, status } = exchange;
      if (request.method !== 'GET' || isSubresource(exchange) || !isConsistentRead(exchange)) return undefined;
      if (status === 404) return truthfulNotFound(exchange, context);
      return isSuccess(status) ? linearizableRead(exchange, context) : undefined;
    },
  },
  'acknowledged-writes-are-kept': {
    because: 'a write that was acknowledged is in the store, at the revision that the client was told',
    answered(exchange, context) {
      const { request, status } = exchange;
      if (request.method === 'GET' || request.method === 'DELETE' || isSubresource(exchange)) return undefined;
      return isSuccess(status) && !isDryRun(exchange) ? acknowledgedWrite(exchange, context) : undefined;
    },
  },
  'watches-miss-nothing': {
    because: 'a watcher sees every change of what it watches, each once and in order',
    watched({ request }, context) {
      const { query = {}, path } = request;
      if (query['labelSelector'] !== undefined || query['fieldSelector'] !== undefined) return undefined;
      return watchOfEverything(
        path,
        Number(query['resourceVersion'] ?? 0),
        query['sendInitialEvents'] === true,
        context,
      );
    },
  },
  'revisions-and-identities-are-kept': {
    because: 'an object keeps its uid and creation time, and its generation never goes back',
    committed({ before, after, kind, id }, { looked }) {
      if (!before || !after) return undefined;
      looked();
      if (before.metadata.uid !== after.metadata.uid) return `${kind} ${id} got another uid without being deleted`;
      if (before.metadata.creationTimestamp !== after.metadata.creationTimestamp)
        return `${kind} ${id} got another creationTimestamp`;
      if ((after.metadata.generation ?? 0) < (before.metadata.generation ?? 0))
        return `the generation of ${kind} ${id} went back`;
      if (before.metadata.deletionTimestamp !== undefined && after.metadata.deletionTimestamp === undefined)
        return `${kind} ${id} was being deleted, and is not any more`;
      return undefined;
    },
  },
  'new-objects-are-new': {
    because:
      'an object begins with a uid that no other has had, now, under its own name, and not as one that is being deleted',
    committed({ before, after, kind, id, key }, { log, clock, looked }) {
      if (before || !after) return undefined;
      looked();
      const { uid = '', creationTimestamp = '', deletionTimestamp, namespace, name } = after.metadata;
      if (!key.endsWith(namespace ? `/${namespace}/${name}` : `/${name}`)) return `${kind} ${id} is stored as ${key}`;
      if (deletionTimestamp !== undefined) return `${kind} ${id} was created as one that is being deleted`;
      if (log.useUid(uid)) return `${kind} ${id} has the uid ${uid} of another object`;
      return Math.abs(clock.now() - Date.parse(creationTimestamp)) < MAX_CLOCK_ERROR_MS
        ? undefined
        : `${kind} ${id} was created now, and says ${creationTimestamp}`;
    },
  },
  'finalizers-are-honoured': {
    because: 'an object with finalizers is not deleted',
    committed({ before, after, kind, id }, { looked }) {
      if (after || !before) return undefined;
      looked();
      const { finalizers = [] } = before.metadata;
      // The last finalizer and the object go in one transaction.
      return finalizers.length > 1
        ? `${kind} ${id} was deleted with the finalizers ${finalizers.join(', ')}`
        : undefined;
    },
  },
} satisfies Record<string, Check>;

function watchOfEverything(
  path: string,
  startRevision: number,
  withInitialEvents: boolean,
  { log, looked }: CheckContext,
): { event(event: { type: string; object: unknown }): Verdict } {
  const namespace = /\/namespaces\/([^/]+)\/[^/]+$/.exec(path)?.[1];
  let last = startRevision;
  let kind: string | undefined;
  let initial = withInitialEvents || startRevision === 0;
  return {
    event({ type, object }) {
      const { metadata, kind: itsKind } = object as KubeObject;
      const revision = Number(metadata?.resourceVersion ?? 0);
      if (type === 'ERROR' || revision === 0) return undefined;
      if (revision > log.revision) return `the watch of ${path} speaks of revision ${revision}, which is not there yet`;
      if (type === 'BOOKMARK') {
        if (initial && !metadata.annotations?.['k8s.io/initial-events-end']) return undefined;
        const wasInitial = initial;
        initial = false;
        const missed =
          kind === undefined || wasInitial
            ? undefined
            : missing(log, { kind, namespace, after: last, before: revision + 1 });
        last = Math.max(last, revision);
        return missed && `the watch of ${path} has reached revision ${revision} without ${missed}`;
      }
      // Metadata has the kind PartialObjectMetadata.
      kind ??= log.kindOf(path) ?? itsKind;
      if (initial) return undefined;
      looked();
      if (revision <= last) return `the watch of ${path} delivered revision ${revision} after ${last}`;
      const missed = missing(log, { kind, namespace, after: last, before: revision });
      last = revision;
      return missed && `the watch of ${path} delivered revision ${revision} without ${missed}`;
    },
  };
}

/** A change that should have been delivered. */
function missing(
  log: StoreLog,
  { kind, namespace, after, before }: { kind: string; namespace: string | undefined; after: number; before: number },
): string | undefined {
  const history = log.historyOfKind(kind);
  for (let i = history.length - 1; i >= 0; i--) {
    const { revision, id } = history[i]!;
    if (revision <= after) return undefined;
    if (revision < before && (namespace === undefined || id.startsWith(`${namespace}/`)))
      return `revision ${revision} of ${kind} ${id}`;
  }
  return undefined;
}
