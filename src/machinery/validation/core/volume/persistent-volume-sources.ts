/** Validates the source of PersistentVolumes: exactly one. */
import type { PersistentVolumeSpec } from '../../../../api/generated/core-v1.ts';
import { type FieldError, forbiddenField, type Path, required } from '../../../errors/index.ts';
import { goStructObject } from '../../go-struct.ts';
import { unifiedDiff } from '../../unified-diff.ts';
import { pretty } from '../pod/internal-pod-spec.ts';
import {
  validateAwsElasticBlockStore,
  validateAzureDisk,
  validateAzureFilePersistentVolume,
  validateCephfs,
  validateCinderPersistentVolume,
  validateFlexVolume,
  validateFlocker,
  validateGcePersistentDisk,
  validateGlusterfsPersistentVolume,
  validatePhotonPersistentDisk,
  validatePortworx,
  validateQuobyte,
  validateRbd,
  validateScaleIO,
  validateStorageOSPersistentVolume,
  validateVsphere,
} from './volume-sources-cloud.ts';
import { validateCsiPersistentVolume } from './volume-sources-csi.ts';
import { validateHostPath, validateLocalVolume } from './volume-sources-local.ts';
import { validateFc, validateIscsiPersistentVolume, validateNfs } from './volume-sources-network.ts';

interface SourceRules {
  /** The volume's own name. */
  readonly name: string;
  readonly hasNodeAffinity: boolean;
}

const SOURCE_NAMES = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'hostPath',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'flexVolume',
  'cinder',
  'cephfs',
  'fc',
  'flocker',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const;
type SourceName = (typeof SOURCE_NAMES)[number];
type PersistentVolumeSource = Pick<PersistentVolumeSpec, SourceName>;

type Check = (errors: FieldError[], spec: PersistentVolumeSpec, at: Path, rules: SourceRules) => void;

interface Source {
  readonly name: SourceName;
  readonly check: Check;
  readonly surplusName?: string;
  readonly errorName?: string;
}

/** In upstream's order. */
const SOURCES: readonly Source[] = [
  { name: 'hostPath', check: (errors, spec, at) => validateHostPath(errors, spec.hostPath!, at) },
  {
    name: 'gcePersistentDisk',
    errorName: 'persistentDisk',
    check: (errors, spec, at) => validateGcePersistentDisk(errors, spec.gcePersistentDisk!, at),
  },
  {
    name: 'awsElasticBlockStore',
    check: (errors, spec, at) => validateAwsElasticBlockStore(errors, spec.awsElasticBlockStore!, at),
  },
  { name: 'glusterfs', check: (errors, spec, at) => validateGlusterfsPersistentVolume(errors, spec.glusterfs!, at) },
  { name: 'flocker', check: (errors, spec, at) => validateFlocker(errors, spec.flocker!, at) },
  { name: 'nfs', check: (errors, spec, at) => validateNfs(errors, spec.nfs!, at) },
  { name: 'rbd', check: (errors, spec, at) => validateRbd(errors, spec.rbd!, at) },
  { name: 'quobyte', check: (errors, spec, at) => validateQuobyte(errors, spec.quobyte!, at) },
  { name: 'cephfs', surplusName: 'cephFS', check: (errors, spec, at) => validateCephfs(errors, spec.cephfs!, at) },
  {
    name: 'iscsi',
    check: (errors, spec, at, rules) => validateIscsiPersistentVolume(errors, spec.iscsi!, at, rules.name),
  },
  { name: 'cinder', check: (errors, spec, at) => validateCinderPersistentVolume(errors, spec.cinder!, at) },
  { name: 'fc', check: (errors, spec, at) => validateFc(errors, spec.fc!, at) },
  { name: 'flexVolume', check: (errors, spec, at) => validateFlexVolume(errors, spec.flexVolume!, at) },
  { name: 'azureFile', check: (errors, spec, at) => validateAzureFilePersistentVolume(errors, spec.azureFile!, at) },
  { name: 'vsphereVolume', check: (errors, spec, at) => validateVsphere(errors, spec.vsphereVolume!, at) },
  {
    name: 'photonPersistentDisk',
    check: (errors, spec, at) => validatePhotonPersistentDisk(errors, spec.photonPersistentDisk!, at),
  },
  { name: 'portworxVolume', check: (errors, spec, at) => validatePortworx(errors, spec.portworxVolume!, at) },
  { name: 'azureDisk', check: (errors, spec, at) => validateAzureDisk(errors, spec.azureDisk!, at) },
  { name: 'scaleIO', check: (errors, spec, at) => validateScaleIO(errors, spec.scaleIO!, at) },
  { name: 'local', check: (errors, spec, at) => validateLocalVolume(errors, spec.local!, at) },
  { name: 'storageos', check: (errors, spec, at) => validateStorageOSPersistentVolume(errors, spec.storageos!, at) },
  { name: 'csi', check: (errors, spec, at) => validateCsiPersistentVolume(errors, spec.csi!, at) },
];

export function validatePersistentVolumeSource(
  errors: FieldError[],
  spec: PersistentVolumeSpec,
  at: Path,
  rules: SourceRules,
): void {
  let found = false;
  for (const { name, check, surplusName = name, errorName = name } of SOURCES) {
    if (!spec[name]) continue;
    // As upstream, a flexVolume is validated even if there is another source.
    if (found && name !== 'flexVolume')
      errors.push(forbiddenField(at.child(surplusName), 'may not specify more than 1 volume type'));
    else {
      check(errors, spec, at.child(errorName), rules);
      if (name === 'local' && !rules.hasNodeAffinity)
        errors.push(required(at.child('nodeAffinity'), 'Local volume requires node affinity'));
    }
    found = true;
  }
  if (!found) errors.push(required(at, 'must specify a volume type'));
}

export const persistentVolumeSource = (spec: PersistentVolumeSpec): PersistentVolumeSource =>
  Object.fromEntries(SOURCE_NAMES.filter((name) => spec[name]).map((name) => [name, spec[name]]));

export function persistentVolumeSourceDiff(before: PersistentVolumeSource, after: PersistentVolumeSource): string {
  const name = 'io.k8s.api.core.v1.PersistentVolumeSource';
  return unifiedDiff(pretty(goStructObject(name, before)), pretty(goStructObject(name, after)));
}
