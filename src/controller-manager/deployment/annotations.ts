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

export const revisionOf = (object: Deployment | ReplicaSet): number =>
  integer(object.metadata.annotations?.[REVISION]) ?? 0;
export const desiredReplicas = (set: ReplicaSet): number | undefined =>
  integer(set.metadata.annotations?.[DESIRED_REPLICAS]);
export const annotatedMaxReplicas = (set: ReplicaSet): number | undefined =>
  integer(set.metadata.annotations?.[MAX_REPLICAS]);
export const maxRevision = (sets: readonly ReplicaSet[]): number => Math.max(0, ...sets.map(revisionOf));

/** The second highest revision, which a rollback without a number uses. */
export function lastRevision(sets: readonly ReplicaSet[]): number {
  const revisions = sets.map(revisionOf).sort((a, b) => b - a);
  return revisions[1] ?? 0;
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
  revision: number,
): Annotations {
  const annotations: Annotations = { ...existing };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {}))
    if (!OWN.has(key)) annotations[key] = value;
  const before = integer(existing?.[REVISION]);
  if ((before ?? 0) >= revision) return annotations;
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
