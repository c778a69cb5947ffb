/** Whether a pod spec references Secrets, ConfigMaps or projected ServiceAccount tokens. */
import type { Container, EphemeralContainer, PodSpec, Volume } from '../../api/generated/core-v1.ts';
import { allContainers } from '../../component-helpers/index.ts';

export function referencesSecrets(spec: PodSpec): boolean {
  if ((spec.imagePullSecrets?.length ?? 0) > 0) return true;
  for (const container of allContainers(spec)) if (containerUsesSecrets(container)) return true;
  return (spec.volumes ?? []).some(volumeUsesSecrets);
}

const containerUsesSecrets = ({ env, envFrom }: Container | EphemeralContainer): boolean =>
  (env ?? []).some(({ valueFrom }) => valueFrom?.secretKeyRef) || (envFrom ?? []).some(({ secretRef }) => secretRef);

function volumeUsesSecrets(volume: Volume): boolean {
  return !!(
    volume.secret ??
    volume.azureFile ??
    volume.cephfs?.secretRef ??
    volume.cinder?.secretRef ??
    volume.flexVolume?.secretRef ??
    volume.rbd?.secretRef ??
    volume.scaleIO?.secretRef ??
    volume.iscsi?.secretRef ??
    volume.storageos?.secretRef ??
    volume.csi?.nodePublishSecretRef ??
    volume.projected?.sources?.find(({ secret }) => secret)
  );
}

export function referencesConfigMaps(spec: PodSpec): boolean {
  for (const { env, envFrom } of allContainers(spec)) {
    if (
      (env ?? []).some(({ valueFrom }) => valueFrom?.configMapKeyRef) ||
      (envFrom ?? []).some(({ configMapRef }) => configMapRef)
    )
      return true;
  }
  return (spec.volumes ?? []).some(
    ({ configMap, projected }) => configMap ?? projected?.sources?.some((source) => source.configMap),
  );
}

export const usesTokenProjection = (spec: PodSpec): boolean =>
  (spec.volumes ?? []).some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken),
  );
