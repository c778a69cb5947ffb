import type { Pod } from '../../api/generated/core-v1.ts';

/** The pods informer's index by the PersistentVolumeClaims that pods use. */
export const PODS_BY_CLAIM = 'claims';

/** The keys of the claims that a pod uses, the claims of its ephemeral volumes included. */
export function claimsOfPod(pod: Pod): string[] {
  const { namespace = '', name = '' } = pod.metadata;
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim) return [`${namespace}/${volume.persistentVolumeClaim.claimName}`];
    return volume.ephemeral ? [`${namespace}/${name}-${volume.name}`] : [];
  });
}
