/** The Secrets that a kubelet needs to mount a PersistentVolume, as `namespace/name`; the default is the claim's namespace. */
import type { PersistentVolume } from '../../../api/generated/core-v1.ts';

interface Reference {
  readonly name?: string;
  readonly namespace?: string;
}

export function volumeSecrets({ spec }: PersistentVolume): string[] {
  if (!spec?.claimRef) return [];
  const { csi, azureFile } = spec;
  const references: (Reference | undefined)[] = [
    azureFile && {
      name: azureFile.secretName,
      ...(azureFile.secretNamespace ? { namespace: azureFile.secretNamespace } : {}),
    },
    spec.cephfs?.secretRef,
    spec.cinder?.secretRef,
    spec.flexVolume?.secretRef,
    spec.rbd?.secretRef,
    spec.scaleIO?.secretRef,
    spec.iscsi?.secretRef,
    spec.storageos?.secretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ];
  const claimNamespace = spec.claimRef.namespace ?? '';
  return references.flatMap((reference) =>
    reference?.name ? [`${reference.namespace || claimNamespace}/${reference.name}`] : [],
  );
}
