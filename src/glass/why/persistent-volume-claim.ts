/** Why a PersistentVolumeClaim is not bound, or does not go away. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import { labelSelectorAsSelector } from '../../machinery/selectors/index.ts';
import type { Cause, Explanation, Subject } from '../answers.ts';
import { healthy, unhealthy } from './explanation.ts';
import type { Reader } from './reader.ts';
import { finalizerCauses } from './terminating.ts';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const MAX_VOLUMES = 10;

export async function explainPersistentVolumeClaim(reader: Reader, claim: PersistentVolumeClaim): Promise<Explanation> {
  const { metadata, spec, status } = claim;
  const subject: Subject = {
    kind: 'PersistentVolumeClaim',
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
  };
  if (metadata.deletionTimestamp) return unhealthy(subject, 'Terminating', await heldBy(reader, claim));
  if (status?.phase === 'Bound') return healthy(subject, `Bound to the PersistentVolume ${spec?.volumeName ?? ''}`);
  if (status?.phase === 'Lost')
    return unhealthy(subject, 'Lost', [
      {
        reason: 'ClaimLost',
        message: `the PersistentVolume ${spec?.volumeName ?? ''} that it was bound to does not exist any more`,
      },
    ]);
  return unhealthy(subject, 'Pending', await pendingCauses(reader, claim));
}

async function heldBy(reader: Reader, claim: PersistentVolumeClaim): Promise<Cause[]> {
  const pods = await podsUsing(reader, claim);
  const names = pods.map(({ metadata }) => metadata.name).join(', ');
  return [
    ...finalizerCauses(claim),
    ...(pods.length > 0
      ? [{ reason: 'InUse', message: `these pods use it: ${names}`, remedy: 'it goes when they are gone' }]
      : []),
  ];
}

async function podsUsing(reader: Reader, { metadata }: PersistentVolumeClaim) {
  const pods = await reader.list('v1/pods', { namespace: metadata.namespace ?? '' });
  return pods.filter(
    (pod) =>
      !isPodTerminal(pod) &&
      pod.spec?.volumes?.some(
        ({ persistentVolumeClaim, ephemeral, name }) =>
          persistentVolumeClaim?.claimName === metadata.name ||
          (ephemeral && `${pod.metadata.name}-${name}` === metadata.name),
      ),
  );
}

async function pendingCauses(reader: Reader, claim: PersistentVolumeClaim): Promise<Cause[]> {
  const wanted = claim.spec?.storageClassName;
  if (wanted === undefined) {
    const classes = await reader.list('storage.k8s.io/v1/storageclasses');
    if (!classes.some(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true'))
      return [
        {
          reason: 'NoDefaultStorageClass',
          message: 'it names no StorageClass, and no StorageClass is the default',
          remedy: `set spec.storageClassName, or annotate a StorageClass with ${DEFAULT_CLASS}=true`,
        },
        ...(await noVolume(reader, claim)),
      ];
    return noVolume(reader, claim);
  }
  if (wanted === '') return noVolume(reader, claim);
  const { object: storageClass, known } = await reader.get('storage.k8s.io/v1/storageclasses', { name: wanted });
  if (known && !storageClass)
    return [
      {
        reason: 'StorageClassNotFound',
        message: `the StorageClass ${wanted} does not exist`,
        remedy: `create the StorageClass ${wanted}`,
      },
      ...(await noVolume(reader, claim)),
    ];
  return storageClass ? ofClass(reader, claim, storageClass) : [];
}

async function ofClass(reader: Reader, claim: PersistentVolumeClaim, storageClass: StorageClass): Promise<Cause[]> {
  const { provisioner, volumeBindingMode, metadata } = storageClass;
  const pods = await podsUsing(reader, claim);
  if (volumeBindingMode === 'WaitForFirstConsumer' && pods.length === 0)
    return [
      {
        reason: 'WaitForFirstConsumer',
        message: `the StorageClass ${metadata.name} waits for the first pod that uses the claim, and no pod does`,
        remedy: 'create a pod that uses the claim',
      },
    ];
  if (volumeBindingMode === 'WaitForFirstConsumer' && pods.every(({ spec }) => !spec?.nodeName))
    return [
      {
        reason: 'WaitForPodScheduled',
        message: `the volume is provisioned when the scheduler has chosen a node for ${pods.map((pod) => pod.metadata.name).join(', ')}`,
      },
    ];
  if (provisioner === 'kubernetes.io/no-provisioner') return noVolume(reader, claim);
  const failed = await reader.warning(claim, 'ProvisioningFailed');
  return [
    {
      reason: failed ? 'ProvisioningFailed' : 'ExternalProvisioning',
      message:
        failed ?? `it waits for the provisioner ${provisioner} of the StorageClass ${metadata.name} to create a volume`,
      remedy: `see that the provisioner ${provisioner} runs`,
    },
  ];
}

/** No PersistentVolume that exists fits. */
async function noVolume(reader: Reader, claim: PersistentVolumeClaim): Promise<Cause[]> {
  const volumes = await reader.list('v1/persistentvolumes');
  const evidence = volumes.slice(0, MAX_VOLUMES).map((volume) => `${volume.metadata.name}: ${misfit(volume, claim)}`);
  return [
    {
      reason: 'NoVolumeFits',
      message:
        volumes.length === 0 ? 'there is no PersistentVolume' : `none of the ${volumes.length} PersistentVolumes fits`,
      evidence,
      remedy: 'create a PersistentVolume that fits, or name a StorageClass with a provisioner',
    },
  ];
}

function misfit(
  { spec, status, metadata }: PersistentVolume,
  { spec: wanted, metadata: own }: PersistentVolumeClaim,
): string {
  const reference = spec?.claimRef;
  const isOwn = reference?.namespace === own.namespace && reference?.name === own.name;
  if (reference && !isOwn) return `it belongs to the claim ${reference.namespace}/${reference.name}`;
  if (status?.phase === 'Released' || status?.phase === 'Failed') return `it is ${status.phase}`;
  if ((spec?.storageClassName ?? '') !== (wanted?.storageClassName ?? ''))
    return `its StorageClass is "${spec?.storageClassName ?? ''}", not "${wanted?.storageClassName ?? ''}"`;
  const modes = (wanted?.accessModes ?? []).filter((mode) => !spec?.accessModes?.includes(mode));
  if (modes.length > 0) return `it does not have the access mode ${modes.join(', ')}`;
  if ((spec?.volumeMode ?? 'Filesystem') !== (wanted?.volumeMode ?? 'Filesystem'))
    return `its volumeMode is ${spec?.volumeMode}`;
  const [size, request] = [spec?.capacity?.['storage'] ?? '0', wanted?.resources?.requests?.['storage'] ?? '0'];
  if (parseQuantity(String(size)).cmp(parseQuantity(String(request))) < 0)
    return `it has ${size}, and ${request} is wanted`;
  if (wanted?.selector && !labelSelectorAsSelector(wanted.selector).matches(metadata.labels ?? {}))
    return 'the selector does not match its labels';
  return 'it fits; the controller manager has not bound it yet';
}
