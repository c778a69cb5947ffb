/** What a watcher has put together from events equals the store. */
import type { KubeObject } from '../../machinery/index.ts';
import { idOf, type StoreLog } from '../world/store-log.ts';
import type { Check, CheckContext, Verdict } from './check.ts';

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** The resourceVersions of a watcher's objects. */
type Seen = Map<string, string>;

function compare(
  log: StoreLog,
  at: { kind: string; namespace: string | undefined; revision: number },
  seen: Seen,
): Verdict {
  const { kind, namespace, revision } = at;
  const stored = log.objectsAt(kind, revision);
  let count = 0;
  for (const [id, { metadata }] of stored) {
    if (namespace !== undefined && metadata.namespace !== namespace) continue;
    count++;
    const has = seen.get(id);
    if (has !== metadata.resourceVersion)
      return `at revision ${revision} a watcher has ${has ?? 'no version'} of ${kind} ${id} instead of ${metadata.resourceVersion}`;
  }
  if (count === seen.size) return undefined;
  const extra = [...seen.keys()].find((id) => !stored.has(id));
  return `at revision ${revision} a watcher still has ${kind} ${extra}`;
}

function watcher(path: string, fromStart: boolean, { log, looked }: CheckContext) {
  const namespace = /\/namespaces\/([^/]+)\/[^/]+$/.exec(path)?.[1];
  const seen: Seen = new Map();
  let kind: string | undefined;
  let complete = false;
  return {
    event({ type, object }: { type: string; object: unknown }): Verdict {
      const { metadata, kind: itsKind } = object as KubeObject;
      if (type === 'ERROR' || !metadata?.resourceVersion) return undefined;
      kind ??= itsKind;
      if (type === 'BOOKMARK') {
        if (fromStart && metadata.annotations?.[INITIAL_EVENTS_END]) complete = true;
        if (!complete || kind !== itsKind) return undefined;
        looked();
        return compare(log, { kind, namespace, revision: Number(metadata.resourceVersion) }, seen);
      }
      if (type === 'DELETED') seen.delete(idOf(object as KubeObject));
      else seen.set(idOf(object as KubeObject), metadata.resourceVersion);
      return undefined;
    },
  };
}

export const watcherChecks = {
  'watchers-equal-the-store': {
    because: 'what a watcher has put together from events is what the store had at the revision of each bookmark',
    watched({ request: { query = {}, path, headers } }, context) {
      if (query['labelSelector'] !== undefined || query['fieldSelector'] !== undefined) return undefined;
      // Metadata has the kind PartialObjectMetadata.
      if (String(headers?.['accept'] ?? '').includes('PartialObjectMetadata')) return undefined;
      if (/\/(leases|events)$/.test(path) || query['sendInitialEvents'] !== true) return undefined;
      return watcher(path, true, context);
    },
  },
} satisfies Record<string, Check>;
