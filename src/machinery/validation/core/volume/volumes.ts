/** Validates the volumes of pods: their names, and exactly one source each. */
import type { Volume } from '../../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../../api/generated/meta-v1.ts';
import { quote } from '../../../../base/index.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  type Path,
  required,
} from '../../../errors/index.ts';
import { dns1123Label, nameIsDnsSubdomain, utf8Longer } from '../../../names/index.ts';
import { isNegativeQuantity } from '../../quantities.ts';
import type { PodRules } from '../pod/pod-rules.ts';
import {
  validateAwsElasticBlockStore,
  validateAzureDisk,
  validateAzureFile,
  validateCephfs,
  validateCinder,
  validateFlexVolume,
  validateFlocker,
  validateGcePersistentDisk,
  validateGlusterfs,
  validatePhotonPersistentDisk,
  validatePortworx,
  validateQuobyte,
  validateRbd,
  validateScaleIO,
  validateStorageOS,
  validateVsphere,
} from './volume-sources-cloud.ts';
import { validateCsiVolume, validateEphemeralVolume, validateImageVolume } from './volume-sources-csi.ts';
import {
  validateConfigMapVolume,
  validateDownwardApiVolume,
  validateGitRepo,
  validateHostPath,
  validateSecretVolume,
} from './volume-sources-local.ts';
import { validateFc, validateIscsi, validateNfs } from './volume-sources-network.ts';
import { validateProjectedVolume } from './volume-sources-projected.ts';

interface VolumeRules {
  readonly pod: PodRules;
  /** The metadata of the pod; absent for a template. */
  readonly metadata: ObjectMeta | undefined;
}

/** Returns the valid volumes by name; only these can be mounted. */
export function validateVolumes(
  errors: FieldError[],
  volumes: readonly Volume[],
  at: Path,
  rules: VolumeRules,
): ReadonlyMap<string, Volume> {
  const valid = new Map<string, Volume>();
  const podName = rules.metadata?.name ?? '';
  const created =
    podName === '' ? [] : volumes.filter((volume) => volume.ephemeral).map((volume) => `${podName}-${volume.name}`);
  for (let i = 0; i < volumes.length; i++) {
    const volume = volumes[i]!;
    const before = errors.length;
    const here = at.index(i);
    validateVolumeSource(errors, volume, here, rules);
    if (!volume.name) errors.push(required(here.child('name')));
    else
      for (const message of dns1123Label(volume.name))
        errors.push(invalidValue(here.child('name'), volume.name, message));
    if (valid.has(volume.name)) errors.push(duplicate(here.child('name'), volume.name));
    if (errors.length === before) valid.set(volume.name, volume);
    const claimName = volume.persistentVolumeClaim?.claimName;
    if (claimName !== undefined && created.includes(claimName)) {
      const message = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalidValue(here.child('persistentVolumeClaim', 'claimName'), claimName, message));
    }
  }
  return valid;
}

type SourceName = Exclude<keyof Volume, 'name'>;
type SourceCheck = (errors: FieldError[], volume: Volume, at: Path, rules: VolumeRules) => void;

interface Source {
  readonly name: SourceName;
  readonly check: SourceCheck;
  /**
   * Upstream's names for the field in the errors for a second source and for an invalid one, if they differ from its
   * name.
   */
  readonly surplusName?: string;
  readonly errorName?: string;
}

/** In upstream's order: the first source that is set is validated, every other one is refused. */
const SOURCE_LIST: readonly Source[] = [
  { name: 'emptyDir', check: (errors, volume, at) => validateEmptyDir(errors, volume.emptyDir!.sizeLimit, at) },
  { name: 'hostPath', check: (errors, volume, at) => validateHostPath(errors, volume.hostPath!, at) },
  { name: 'gitRepo', check: (errors, volume, at) => validateGitRepo(errors, volume.gitRepo!, at) },
  {
    name: 'gcePersistentDisk',
    errorName: 'persistentDisk',
    check: (errors, volume, at) => validateGcePersistentDisk(errors, volume.gcePersistentDisk!, at),
  },
  {
    name: 'awsElasticBlockStore',
    check: (errors, volume, at) => validateAwsElasticBlockStore(errors, volume.awsElasticBlockStore!, at),
  },
  { name: 'secret', check: (errors, volume, at) => validateSecretVolume(errors, volume.secret!, at) },
  { name: 'nfs', check: (errors, volume, at) => validateNfs(errors, volume.nfs!, at) },
  { name: 'iscsi', check: (errors, volume, at) => validateIscsi(errors, volume.iscsi!, at) },
  { name: 'glusterfs', check: (errors, volume, at) => validateGlusterfs(errors, volume.glusterfs!, at) },
  { name: 'flocker', check: (errors, volume, at) => validateFlocker(errors, volume.flocker!, at) },
  {
    name: 'persistentVolumeClaim',
    check: (errors, volume, at) => validateClaimName(errors, volume.persistentVolumeClaim!.claimName, at),
  },
  { name: 'rbd', check: (errors, volume, at) => validateRbd(errors, volume.rbd!, at) },
  { name: 'cinder', check: (errors, volume, at) => validateCinder(errors, volume.cinder!, at) },
  { name: 'cephfs', surplusName: 'cephFS', check: (errors, volume, at) => validateCephfs(errors, volume.cephfs!, at) },
  { name: 'quobyte', check: (errors, volume, at) => validateQuobyte(errors, volume.quobyte!, at) },
  {
    name: 'downwardAPI',
    surplusName: 'downwarAPI',
    check: (errors, volume, at) => validateDownwardApiVolume(errors, volume.downwardAPI!, at),
  },
  { name: 'fc', check: (errors, volume, at) => validateFc(errors, volume.fc!, at) },
  { name: 'flexVolume', check: (errors, volume, at) => validateFlexVolume(errors, volume.flexVolume!, at) },
  { name: 'configMap', check: (errors, volume, at) => validateConfigMapVolume(errors, volume.configMap!, at) },
  { name: 'azureFile', check: (errors, volume, at) => validateAzureFile(errors, volume.azureFile!, at) },
  { name: 'vsphereVolume', check: (errors, volume, at) => validateVsphere(errors, volume.vsphereVolume!, at) },
  {
    name: 'photonPersistentDisk',
    check: (errors, volume, at) => validatePhotonPersistentDisk(errors, volume.photonPersistentDisk!, at),
  },
  { name: 'portworxVolume', check: (errors, volume, at) => validatePortworx(errors, volume.portworxVolume!, at) },
  { name: 'azureDisk', check: (errors, volume, at) => validateAzureDisk(errors, volume.azureDisk!, at) },
  { name: 'storageos', check: (errors, volume, at) => validateStorageOS(errors, volume.storageos!, at) },
  {
    name: 'projected',
    check: (errors, volume, at, rules) => validateProjectedVolume(errors, volume.projected!, at, rules.pod),
  },
  { name: 'scaleIO', check: (errors, volume, at) => validateScaleIO(errors, volume.scaleIO!, at) },
  { name: 'csi', check: (errors, volume, at) => validateCsiVolume(errors, volume.csi!, at) },
  { name: 'ephemeral', check: (errors, volume, at) => validateEphemeralVolume(errors, volume.ephemeral!, at) },
  {
    name: 'image',
    check: (errors, volume, at, rules) => validateImageVolume(errors, volume.image!, at, rules.pod.resourceIsPod),
  },
];

const SOURCES: ReadonlyMap<string, Source> = new Map(SOURCE_LIST.map((source) => [source.name, source]));

/** The sources that are set, in the order of the list. */
function sourcesOf(volume: Volume): readonly Source[] {
  const found: Source[] = [];
  for (const name in volume) {
    const source = SOURCES.get(name);
    if (source && volume[source.name] !== undefined && volume[source.name] !== null) found.push(source);
  }
  return found.length < 2 ? found : SOURCE_LIST.filter((source) => found.includes(source));
}

function validateVolumeSource(errors: FieldError[], volume: Volume, at: Path, rules: VolumeRules): void {
  let found = false;
  for (const { name, check, surplusName = name, errorName = name } of sourcesOf(volume)) {
    if (found) errors.push(forbiddenField(at.child(surplusName), 'may not specify more than 1 volume type'));
    else check(errors, volume, at.child(errorName), rules);
    if (name === 'iscsi') validateIscsiName(errors, volume, at);
    if (name === 'ephemeral' && !found) validateClaimToCreate(errors, volume, at, rules.metadata?.name ?? '');
    found = true;
  }
  if (!found) errors.push(required(at, 'must specify a volume type'));
}

function validateEmptyDir(errors: FieldError[], sizeLimit: string | undefined, at: Path): void {
  if (sizeLimit !== undefined && isNegativeQuantity(sizeLimit)) {
    errors.push(forbiddenField(at.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity'));
  }
}

function validateClaimName(errors: FieldError[], claimName: string | undefined, at: Path): void {
  if (!claimName) errors.push(required(at.child('claimName')));
}

function validateIscsiName(errors: FieldError[], { name = '', iscsi }: Volume, at: Path): void {
  if (iscsi?.initiatorName === undefined || !utf8Longer(`${name}:${iscsi.targetPortal ?? ''}`, 64)) return;
  const message =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  errors.push(invalidValue(at.child('name'), name, message));
}

function validateClaimToCreate(errors: FieldError[], { name = '' }: Volume, at: Path, podName: string): void {
  if (podName === '' || name === '') return;
  const claimName = `${podName}-${name}`;
  for (const message of nameIsDnsSubdomain(claimName)) {
    errors.push(invalidValue(at.child('name'), name, `PVC name ${quote(claimName)}: ${message}`));
  }
}
