/**
 * Validates volume sources of cloud and storage vendors. The kubelet no longer supports most of them, but the API
 * still validates them.
 */
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFilePersistentVolumeSource,
  AzureFileVolumeSource,
  CephFSVolumeSource,
  CinderPersistentVolumeSource,
  CinderVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GlusterfsPersistentVolumeSource,
  GlusterfsVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSPersistentVolumeSource,
  StorageOSVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from '../../../../api/generated/core-v1.ts';
import { type FieldError, invalidValue, notSupported, type Path, required } from '../../../errors/index.ts';
import { dns1123Label, nameIsDnsLabel, rangeMessage, utf8Length } from '../../../names/index.ts';

/** 0 means no partition, although the message does not say so. */
function validatePartition(errors: FieldError[], partition: number | undefined, at: Path): void {
  if (partition !== undefined && (partition < 0 || partition > 255)) {
    errors.push(invalidValue(at.child('partition'), partition, rangeMessage(1, 255)));
  }
}

export function validateGcePersistentDisk(errors: FieldError[], disk: GCEPersistentDiskVolumeSource, at: Path): void {
  if (!disk.pdName) errors.push(required(at.child('pdName')));
  validatePartition(errors, disk.partition, at);
}

export function validateAwsElasticBlockStore(
  errors: FieldError[],
  disk: AWSElasticBlockStoreVolumeSource,
  at: Path,
): void {
  if (!disk.volumeID) errors.push(required(at.child('volumeID')));
  validatePartition(errors, disk.partition, at);
}

export function validateGlusterfs(errors: FieldError[], { endpoints, path }: GlusterfsVolumeSource, at: Path): void {
  if (!endpoints) errors.push(required(at.child('endpoints')));
  if (!path) errors.push(required(at.child('path')));
}

export function validateGlusterfsPersistentVolume(
  errors: FieldError[],
  source: GlusterfsPersistentVolumeSource,
  at: Path,
): void {
  validateGlusterfs(errors, source, at);
  const namespace = source.endpointsNamespace;
  if (namespace === undefined) return;
  const here = at.child('endpointsNamespace');
  if (namespace === '')
    errors.push(invalidValue(here, '', 'if the endpointnamespace is set, it must be a valid namespace name'));
  else for (const message of nameIsDnsLabel(namespace)) errors.push(invalidValue(here, namespace, message));
}

export function validateFlocker(
  errors: FieldError[],
  { datasetName = '', datasetUUID = '' }: FlockerVolumeSource,
  at: Path,
): void {
  if (datasetName === '' && datasetUUID === '')
    errors.push(required(at, 'one of datasetName and datasetUUID is required'));
  if (datasetName !== '' && datasetUUID !== '') {
    errors.push(invalidValue(at, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (datasetName.includes('/'))
    errors.push(invalidValue(at.child('datasetName'), datasetName, "must not contain '/'"));
}

export function validateRbd(
  errors: FieldError[],
  { monitors, image }: Pick<RBDVolumeSource, 'monitors' | 'image'>,
  at: Path,
): void {
  if (!monitors?.length) errors.push(required(at.child('monitors')));
  if (!image) errors.push(required(at.child('image')));
}

export function validateCinder(errors: FieldError[], { volumeID, secretRef }: CinderVolumeSource, at: Path): void {
  if (!volumeID) errors.push(required(at.child('volumeID')));
  if (secretRef && !secretRef.name) errors.push(required(at.child('secretRef', 'name')));
}

export function validateCinderPersistentVolume(
  errors: FieldError[],
  source: CinderPersistentVolumeSource,
  at: Path,
): void {
  validateCinder(errors, source, at);
  if (source.secretRef && !source.secretRef.namespace) errors.push(required(at.child('secretRef', 'namespace')));
}

export function validateCephfs(
  errors: FieldError[],
  { monitors }: Pick<CephFSVolumeSource, 'monitors'>,
  at: Path,
): void {
  if (!monitors?.length) errors.push(required(at.child('monitors')));
}

const HOST_AND_PORT = 'must be a host:port pair or multiple pairs separated by commas';

export function validateQuobyte(
  errors: FieldError[],
  { registry = '', volume, tenant = '' }: QuobyteVolumeSource,
  at: Path,
): void {
  if (registry === '') errors.push(required(at.child('registry'), HOST_AND_PORT));
  else if (utf8Length(tenant) >= 65)
    errors.push(required(at.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  else
    for (const pair of registry.split(','))
      if (!isHostAndPort(pair)) errors.push(invalidValue(at.child('registry'), registry, HOST_AND_PORT));
  if (!volume) errors.push(required(at.child('volume')));
}

/** A host without colons or in brackets, and what follows the last colon. */
const isHostAndPort = (pair: string): boolean => /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair);

export function validateFlexVolume(
  errors: FieldError[],
  { driver, options = {} }: Pick<FlexVolumeSource, 'driver' | 'options'>,
  at: Path,
): void {
  if (!driver) errors.push(required(at.child('driver')));
  for (const key in options) {
    const domain = `.${key.split('/', 2).length === 2 ? key.slice(0, key.indexOf('/')) : key}`.toLowerCase();
    if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io')) {
      errors.push(invalidValue(at.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'));
    }
  }
}

export function validateAzureFile(
  errors: FieldError[],
  { secretName, shareName }: AzureFileVolumeSource,
  at: Path,
): void {
  if (!secretName) errors.push(required(at.child('secretName')));
  if (!shareName) errors.push(required(at.child('shareName')));
}

export function validateAzureFilePersistentVolume(
  errors: FieldError[],
  source: AzureFilePersistentVolumeSource,
  at: Path,
): void {
  validateAzureFile(errors, source, at);
  if (source.secretNamespace === '') errors.push(required(at.child('secretNamespace')));
}

const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function validateAzureDisk(errors: FieldError[], disk: AzureDiskVolumeSource, at: Path): void {
  const { diskName, diskURI = '', cachingMode, kind } = disk;
  if (!diskName) errors.push(required(at.child('diskName')));
  if (diskURI === '') errors.push(required(at.child('diskURI')));
  if (cachingMode !== undefined && !CACHING_MODES.includes(cachingMode)) {
    errors.push(notSupported(at.child('cachingMode'), cachingMode, CACHING_MODES));
  }
  if (kind === undefined) return;
  if (!DISK_KINDS.includes(kind)) errors.push(notSupported(at.child('kind'), kind, DISK_KINDS));
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/'))
    errors.push(notSupported(at.child('diskURI'), diskURI, [MANAGED_URI]));
  if (kind !== 'Managed' && !diskURI.startsWith('https://'))
    errors.push(notSupported(at.child('diskURI'), diskURI, [BLOB_URI]));
}

export function validateVsphere(errors: FieldError[], { volumePath }: VsphereVirtualDiskVolumeSource, at: Path): void {
  if (!volumePath) errors.push(required(at.child('volumePath')));
}

export function validatePhotonPersistentDisk(
  errors: FieldError[],
  { pdID }: PhotonPersistentDiskVolumeSource,
  at: Path,
): void {
  if (!pdID) errors.push(required(at.child('pdID')));
}

export function validatePortworx(errors: FieldError[], { volumeID }: PortworxVolumeSource, at: Path): void {
  if (!volumeID) errors.push(required(at.child('volumeID')));
}

export function validateScaleIO(
  errors: FieldError[],
  source: Pick<ScaleIOVolumeSource, 'gateway' | 'system' | 'volumeName'>,
  at: Path,
): void {
  if (!source.gateway) errors.push(required(at.child('gateway')));
  if (!source.system) errors.push(required(at.child('system')));
  if (!source.volumeName) errors.push(required(at.child('volumeName')));
}

type StorageOS = StorageOSVolumeSource | StorageOSPersistentVolumeSource;

export function validateStorageOS(
  errors: FieldError[],
  { volumeName, volumeNamespace, secretRef }: StorageOS,
  at: Path,
): void {
  if (!volumeName) errors.push(required(at.child('volumeName')));
  else
    for (const message of dns1123Label(volumeName))
      errors.push(invalidValue(at.child('volumeName'), volumeName, message));
  if (volumeNamespace) {
    for (const message of dns1123Label(volumeNamespace))
      errors.push(invalidValue(at.child('volumeNamespace'), volumeNamespace, message));
  }
  if (secretRef && !secretRef.name) errors.push(required(at.child('secretRef', 'name')));
}

export function validateStorageOSPersistentVolume(
  errors: FieldError[],
  source: StorageOSPersistentVolumeSource,
  at: Path,
): void {
  validateStorageOS(errors, source, at);
  if (source.secretRef && !source.secretRef.namespace) errors.push(required(at.child('secretRef', 'namespace')));
}
