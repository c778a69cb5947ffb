/**
 * persistentVolumeClaim, generic ephemeral and inline CSI volumes: mounts the bound PersistentVolume, most by a CSI
 * driver.
 */
import path from 'node:path';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { isControlledBy, isNotFound } from '../../client/index.ts';
import { allContainers } from '../../component-helpers/index.ts';
import type { ClaimUse } from './csi/csi-drivers.ts';
import { checkedHostPath } from './host-path.ts';
import { mountLocal, unmountLocal } from './local-volume.ts';
import { setVolumeOwnership } from './volume-ownership.ts';
import { VolumeError, type MountedVolume, type VolumePlugin, type VolumeRequest } from './volume.ts';

export const persistentVolumeClaim: VolumePlugin = {
  directoryName: 'pvc',
  async mount(request): Promise<MountedVolume> {
    const claim = await getClaim(request);
    const volume = await getVolume(claim, request);
    checkVolumeMode(volume, request);
    const mounted = await mountPersistentVolume(volume, request);
    if (volume.spec?.csi !== undefined || volume.spec?.local !== undefined)
      await expand(
        { pod: request.pod, claim, volume, directory: request.directory, readOnly: mounted.readOnly === true },
        request,
      );
    return mounted;
  },
  async unmount({ directory, host }) {
    await host.csi.unmount(directory);
    await unmountLocal(directory, host);
  },
};

/** Containers mount a file system, and use a block device. */
function checkVolumeMode({ spec }: PersistentVolume, { pod, volume: { name } }: VolumeRequest): void {
  const mode = spec?.volumeMode ?? 'Filesystem';
  const uses = allContainers(pod.spec);
  const refuse = (where: string): never => {
    throw new VolumeError(`volume ${name} has volumeMode ${mode}, but is specified in ${where}`);
  };
  if (mode !== 'Filesystem' && uses.some(({ volumeMounts }) => volumeMounts?.some((mount) => mount.name === name)))
    refuse('volumeMounts');
  if (mode !== 'Block' && uses.some(({ volumeDevices }) => volumeDevices?.some((device) => device.name === name)))
    refuse('volumeDevices');
}

async function getClaim({ pod, volume, host }: VolumeRequest): Promise<PersistentVolumeClaim> {
  const namespace = pod.metadata.namespace ?? '';
  const isEphemeral = volume.ephemeral !== undefined;
  const name = isEphemeral ? `${pod.metadata.name}-${volume.name}` : (volume.persistentVolumeClaim?.claimName ?? '');
  let claim: PersistentVolumeClaim;
  try {
    claim = await host.client.resource('v1/persistentvolumeclaims').get({ namespace, name });
  } catch (error) {
    if (isNotFound(error))
      throw new VolumeError(
        `error processing PVC ${namespace}/${name}: failed to fetch PVC from API server: persistentvolumeclaims ${JSON.stringify(name)} not found`,
      );
    throw error;
  }
  if (isEphemeral && !isControlledBy(claim, pod))
    throw new VolumeError(
      `error processing PVC ${namespace}/${name}: PVC ${JSON.stringify(name)} was not created for pod ${pod.metadata.name} (pod is not owner)`,
    );
  if (
    claim.metadata.deletionTimestamp !== undefined &&
    !pod.status?.containerStatuses?.some(({ state }) => state?.running)
  )
    throw new VolumeError(`error processing PVC ${namespace}/${name}: PVC is being deleted`);
  if (claim.status?.phase !== 'Bound' || !claim.spec?.volumeName)
    throw new VolumeError(`error processing PVC ${namespace}/${name}: PVC is not bound`);
  return claim;
}

async function getVolume(claim: PersistentVolumeClaim, { host }: VolumeRequest): Promise<PersistentVolume> {
  const name = claim.spec?.volumeName ?? '';
  const volume = await host.client.resource('v1/persistentvolumes').get({ name });
  if (volume.spec?.claimRef?.uid !== claim.metadata.uid)
    throw new VolumeError(
      `PV ${JSON.stringify(name)} is bound to another PVC: expected pvcUID ${JSON.stringify(claim.metadata.uid)}, found ${JSON.stringify(volume.spec?.claimRef?.uid)}`,
    );
  return volume;
}

async function expand(use: ClaimUse, { host }: VolumeRequest): Promise<void> {
  try {
    await host.csi.expand(use);
  } catch (error) {
    throw new VolumeError(errorMessage(error), {
      cause: error,
      failed: `MountVolume.Setup failed while expanding volume for volume ${JSON.stringify(use.volume.metadata.name)}`,
    });
  }
}

async function mountPersistentVolume(volume: PersistentVolume, request: VolumeRequest): Promise<MountedVolume> {
  const { spec } = volume;
  const { pod, directory, host } = request;
  const readOnly = request.volume.persistentVolumeClaim?.readOnly === true;
  const block = spec?.volumeMode === 'Block';
  if (spec?.hostPath !== undefined) {
    const hostPath = await checkedHostPath(spec.hostPath, host);
    return { hostPath, readOnly, device: block };
  }
  if (spec?.local !== undefined) return mountLocal(volume, request);
  if (spec?.csi !== undefined) {
    const mounted = await host.csi.mount({
      pod,
      specName: volume.metadata.name ?? '',
      directory,
      persistentVolume: volume,
      source: { ...spec.csi, readOnly: readOnly || spec.csi.readOnly },
      block,
      signal: request.signal,
    });
    if (mounted.needsOwnership && !readOnly) await setVolumeOwnership(mounted.path, pod);
    return {
      hostPath: mounted.path,
      readOnly,
      device: block,
      usage: () => host.csi.usage(directory),
      ...(mounted.refreshAt === undefined ? {} : { refreshAt: mounted.refreshAt }),
    };
  }
  const kind = Object.keys(spec ?? {}).find(
    (key) =>
      ![
        'capacity',
        'accessModes',
        'claimRef',
        'persistentVolumeReclaimPolicy',
        'storageClassName',
        'mountOptions',
        'volumeMode',
        'nodeAffinity',
        'volumeAttributesClassName',
      ].includes(key),
  );
  throw new VolumeError(
    `no volume plugin matched: persistent volumes of the kind ${kind ?? 'unknown'} (${path.basename(directory)}) need a CSI driver`,
  );
}

/** csi volumes: inline CSI ephemeral volumes of a pod. */
export const csiInline: VolumePlugin = {
  directoryName: 'csi',
  async mount({ pod, volume, directory, host }): Promise<MountedVolume> {
    const { driver = '', fsType, readOnly, volumeAttributes, nodePublishSecretRef } = volume.csi ?? {};
    const mounted = await host.csi.mount({
      pod,
      specName: volume.name,
      directory,
      source: {
        driver,
        fsType,
        readOnly,
        volumeAttributes,
        volumeHandle: '',
        nodePublishSecretRef:
          nodePublishSecretRef === undefined
            ? undefined
            : { name: nodePublishSecretRef.name, namespace: pod.metadata.namespace },
      },
      block: false,
    });
    if (mounted.needsOwnership && readOnly !== true) await setVolumeOwnership(mounted.path, pod);
    return {
      hostPath: mounted.path,
      readOnly: readOnly === true,
      usage: () => host.csi.usage(directory),
      ...(mounted.refreshAt === undefined ? {} : { refreshAt: mounted.refreshAt }),
    };
  },
  async unmount({ directory, host }) {
    await host.csi.unmount(directory);
  },
};
