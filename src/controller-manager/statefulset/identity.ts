/** The identity of a StatefulSet's pod: ordinal, name, labels, hostname and claims. */
import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod, Volume } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';

export const REVISION_LABEL = 'controller-revision-hash';
export const STATEFUL_SET_KIND = { apiVersion: 'apps/v1', kind: 'StatefulSet' };
const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index';

/** The name of the set and the ordinal from a pod's name; undefined for other names. */
export function parentAndOrdinal(podName: string): { parent: string; ordinal: number } | undefined {
  const match = /^(.*)-(\d+)$/.exec(podName);
  return match ? { parent: match[1] ?? '', ordinal: Number(match[2]) } : undefined;
}

export const ordinalOf = (pod: Pod): number => parentAndOrdinal(pod.metadata.name ?? '')?.ordinal ?? -1;
export const isMember = (pod: Pod, set: StatefulSet): boolean =>
  parentAndOrdinal(pod.metadata.name ?? '')?.parent === set.metadata.name;
export const startOrdinal = (set: StatefulSet): number => set.spec?.ordinals?.start ?? 0;
export const podNameFor = (set: StatefulSet, ordinal: number): string => `${set.metadata.name}-${ordinal}`;
export const revisionNameOf = (pod: Pod): string => pod.metadata.labels?.[REVISION_LABEL] ?? '';

export const identityLabels = (set: StatefulSet, ordinal: number): Record<string, string> => ({
  [POD_NAME_LABEL]: podNameFor(set, ordinal),
  [POD_INDEX_LABEL]: String(ordinal),
});

export function hasIdentity(pod: Pod, set: StatefulSet): boolean {
  const labels = identityLabels(set, ordinalOf(pod));
  return Object.entries(labels).every(([key, value]) => ownValue(pod.metadata.labels, key) === value);
}

/** The claims of a pod, by the name of the volume that each is for. */
export function claimsFor(set: StatefulSet, ordinal: number): Map<string, PersistentVolumeClaim> {
  return new Map(
    (set.spec?.volumeClaimTemplates ?? []).map((template) => {
      const volume = template.metadata.name ?? '';
      const metadata = {
        ...template.metadata,
        name: `${volume}-${podNameFor(set, ordinal)}`,
        namespace: set.metadata.namespace,
        labels: { ...template.metadata.labels, ...set.spec?.selector?.matchLabels },
      };
      return [volume, { metadata, spec: template.spec } satisfies PersistentVolumeClaim];
    }),
  );
}

/** The pod's volumes: its claims take the place of volumes of the same name. */
export function volumesFor(set: StatefulSet, ordinal: number, others: readonly Volume[] = []): Volume[] {
  const claims = claimsFor(set, ordinal);
  const own = Array.from(claims, ([name, claim]): Volume => ({
    name,
    persistentVolumeClaim: { claimName: claim.metadata.name ?? '' },
  }));
  return [...own, ...others.filter(({ name }) => !claims.has(name))];
}
