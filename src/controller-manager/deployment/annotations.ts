/** The annotations of ReplicaSets: their revision, and desired and maximum replicas. */
import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { maxSurge } from './rolling-limits.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const OWN: ReadonlySet<string> = new Set([
  LAST_APPLIED,
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

/** The longest revision history, in characters; older revisions are dropped. */
const MAX_HISTORY_CHARS = 2000;

type Annotations = Record<string, string>;

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
}

const MAX_INT64 = 2n ** 63n - 1n;

/** A revision is a 64-bit number; undefined for everything else. */
export function revisionNumber(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d{1,20}$/.test(text)) return undefined;
  const number = BigInt(text.replace('+', ''));
  return number > MAX_INT64 || number < -MAX_INT64 - 1n ? undefined : number;
}

export const revisionOf = (object: Deployment | ReplicaSet): bigint =>
  revisionNumber(object.metadata.annotations?.[REVISION]) ?? 0n;
export const desiredReplicas = (set: ReplicaSet): number | undefined =>
  integer(set.metadata.annotations?.[DESIRED_REPLICAS]);
export const annotatedMaxReplicas = (set: ReplicaSet): number | undefined =>
  integer(set.metadata.annotations?.[MAX_REPLICAS]);
export const maxRevision = (sets: readonly ReplicaSet[]): bigint =>
  sets.map(revisionOf).reduce((most, revision) => (revision > most ? revision : most), 0n);
/** The older revision first. */
export const byRevision = (a: ReplicaSet, b: ReplicaSet): number => {
  const [first, second] = [revisionOf(a), revisionOf(b)];
  return first < second ? -1 : first > second ? 1 : 0;
};

/** The second highest revision, which a rollback without a number uses. */
export function lastRevision(sets: readonly ReplicaSet[]): bigint {
  const set = sets.toSorted(byRevision).at(-2);
  return set ? revisionOf(set) : 0n;
}

/** Desired and maximum replicas, which proportional scaling starts from. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const replicas = deployment.spec?.replicas ?? 1;
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(replicas + maxSurge(deployment)) };
}

/** The annotations of the new ReplicaSet: those of the Deployment, and its revision history. */
export function newSetAnnotations(
  deployment: Deployment,
  existing: Annotations | undefined,
  revision: bigint,
): Annotations {
  const annotations: Annotations = { ...existing };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {}))
    if (!OWN.has(key)) annotations[key] = value;
  const before = revisionNumber(existing?.[REVISION]);
  if ((before ?? 0n) >= revision) return annotations;
  annotations[REVISION] = String(revision);
  if (before !== undefined) {
    const history = (existing?.[REVISION_HISTORY] ?? '').split(',').filter((word) => word !== '');
    const all = [...history, String(before)];
    while (all.length > 1 && all.join().length > MAX_HISTORY_CHARS) all.shift();
    annotations[REVISION_HISTORY] = all.join();
  }
  return annotations;
}

/** The Deployment's annotations after a rollback: those of the ReplicaSet, without the controller's own. */
export function rolledBackAnnotations(deployment: Deployment, set: ReplicaSet): Annotations {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key]) => OWN.has(key) && key !== ROLLBACK_TO,
  );
  const others = Object.entries(set.metadata.annotations ?? {}).filter(([key]) => !OWN.has(key));
  return Object.fromEntries([...own, ...others]);
}
