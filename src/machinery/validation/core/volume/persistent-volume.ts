/** Validation of PersistentVolumes. */
import type { PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity } from '../../../../api/generated/core-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../../names/index.ts';
import { semanticEqual } from '../../equality.ts';
import { goStruct } from '../../go-struct.ts';
import type { KindValidation } from '../../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../../metadata-checks.ts';
import { validateImmutable } from '../../object-meta.ts';
import { hasInvalidNodeSelectorValue, validateNodeSelector } from '../node/node-selector.ts';
import { validateBasicResource, validatePositiveQuantity } from '../resources.ts';
import { VOLUME_MODES, validateAccessModes } from './claim-spec.ts';
import { cleanPath } from './file-paths.ts';
import {
  persistentVolumeSource,
  persistentVolumeSourceDiff,
  validatePersistentVolumeSource,
} from './persistent-volume-sources.ts';
import { persistentVolumeWarnings } from './persistent-volume-warnings.ts';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const SPEC = path('spec');

interface PersistentVolumeRules {
  readonly name: string;
  /** The spec is inline in a VolumeAttachment. */
  readonly inline?: boolean;
  readonly allowInvalidNodeAffinityValues?: boolean;
}

export function validatePersistentVolumeSpec(
  errors: FieldError[],
  spec: PersistentVolumeSpec,
  at: Path,
  rules: PersistentVolumeRules,
): void {
  if (rules.inline) validateInline(errors, spec, at);
  const accessModes = spec.accessModes ?? [];
  if (accessModes.length === 0) errors.push(required(at.child('accessModes')));
  validateAccessModes(errors, accessModes, at.child('accessModes'));
  if (!rules.inline) validateCapacity(errors, spec.capacity, at.child('capacity'));
  const policy = spec.persistentVolumeReclaimPolicy;
  if (policy && rules.inline && policy !== 'Retain') {
    errors.push(
      forbiddenField(at.child('persistentVolumeReclaimPolicy'), 'may only be Retain in the context of inline volumes'),
    );
  } else if (policy && !rules.inline && !RECLAIM_POLICIES.includes(policy)) {
    errors.push(notSupported(at.child('persistentVolumeReclaimPolicy'), policy, RECLAIM_POLICIES));
  }
  if (spec.nodeAffinity) validateNodeAffinity(errors, spec.nodeAffinity, at.child('nodeAffinity'), rules);
  validatePersistentVolumeSource(errors, spec, at, {
    name: rules.name,
    hasNodeAffinity: Boolean(spec.nodeAffinity) && !rules.inline,
  });
  if (spec.hostPath && cleanPath(spec.hostPath.path ?? '') === '/' && policy === 'Recycle') {
    errors.push(
      forbiddenField(at.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'"),
    );
  }
  validateClasses(errors, spec, at, rules);
}

function validateInline(errors: FieldError[], spec: PersistentVolumeSpec, at: Path): void {
  const inline = 'in the context of inline volumes';
  if (spec.claimRef) errors.push(forbiddenField(at.child('claimRef'), `may not be specified ${inline}`));
  if (spec.capacity && Object.keys(spec.capacity).length > 0)
    errors.push(forbiddenField(at.child('capacity'), `may not be specified ${inline}`));
  if (!spec.csi) errors.push(required(at.child('csi'), `has to be specified ${inline}`));
}

function validateCapacity(
  errors: FieldError[],
  capacity: Readonly<Record<string, string>> | undefined,
  at: Path,
): void {
  const names = Object.keys(capacity ?? {});
  if (names.length === 0) errors.push(required(at));
  if (capacity?.['storage'] === undefined || names.length > 1)
    errors.push(notSupported(at, capacity ?? null, ['storage']));
  for (const [name, amount] of Object.entries(capacity ?? {})) {
    validateBasicResource(errors, amount, at.key(name));
    validatePositiveQuantity(errors, amount, at.key(name));
  }
}

function validateNodeAffinity(
  errors: FieldError[],
  affinity: VolumeNodeAffinity,
  at: Path,
  rules: PersistentVolumeRules,
): void {
  if (rules.inline) errors.push(forbiddenField(at, 'may not be specified in the context of inline volumes'));
  else if (!affinity.required) errors.push(required(at.child('required'), 'must specify required node constraints'));
  else {
    const invalidValues = rules.allowInvalidNodeAffinityValues ?? false;
    validateNodeSelector(errors, affinity.required, at.child('required'), { invalidValues });
  }
}

function validateClasses(
  errors: FieldError[],
  spec: PersistentVolumeSpec,
  at: Path,
  { inline }: PersistentVolumeRules,
): void {
  const { storageClassName, volumeMode, volumeAttributesClassName } = spec;
  if (storageClassName && inline) {
    errors.push(forbiddenField(at.child('storageClassName'), 'may not be specified in the context of inline volumes'));
  } else if (storageClassName) {
    for (const message of nameIsDnsSubdomain(storageClassName))
      errors.push(invalidValue(at.child('storageClassName'), storageClassName, message));
  }
  if (volumeMode !== undefined && inline && volumeMode !== 'Filesystem') {
    errors.push(
      forbiddenField(
        at.child('volumeMode'),
        'may not specify volumeMode other than Filesystem in the context of inline volumes',
      ),
    );
  } else if (volumeMode !== undefined && !inline && !VOLUME_MODES.includes(volumeMode)) {
    errors.push(notSupported(at.child('volumeMode'), volumeMode, VOLUME_MODES));
  }
  if (volumeAttributesClassName === undefined) return;
  const here = at.child('volumeAttributesClassName');
  if (volumeAttributesClassName === '') errors.push(required(here, 'an empty string is disallowed'));
  else
    for (const message of nameIsDnsSubdomain(volumeAttributesClassName))
      errors.push(invalidValue(here, volumeAttributesClassName, message));
  if (!spec.csi) errors.push(required(at.child('csi'), 'has to be specified when using volumeAttributesClassName'));
}

function validateSpec(errors: FieldError[], object: PersistentVolume, old?: PersistentVolume): void {
  const terms = old?.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const allowInvalidNodeAffinityValues = hasInvalidNodeSelectorValue(terms);
  validatePersistentVolumeSpec(errors, object.spec ?? {}, SPEC, {
    name: object.metadata?.name ?? '',
    allowInvalidNodeAffinityValues,
  });
}

const MOUNT_OPTIONS_ANNOTATION = 'volume.beta.kubernetes.io/mount-options';
const WITH_MOUNT_OPTIONS = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

function mountOptions(errors: FieldError[], { metadata: meta, spec = {} }: PersistentVolume): void {
  if (meta?.annotations?.[MOUNT_OPTIONS_ANNOTATION] === undefined || WITH_MOUNT_OPTIONS.some((name) => spec[name]))
    return;
  const here = path('metadata', 'annotations', MOUNT_OPTIONS_ANNOTATION);
  errors.push(forbiddenField(here, 'may not specify mount options for this volume type'));
}

function sourceUpdate(errors: FieldError[], object: PersistentVolume, old: PersistentVolume): void {
  const before = persistentVolumeSource(old.spec ?? {});
  let source = persistentVolumeSource(object.spec ?? {});
  // The CSI expand secrets may be set later.
  if (before.csi && !before.csi.controllerExpandSecretRef && source.csi?.controllerExpandSecretRef) {
    const { controllerExpandSecretRef: _, ...csi } = source.csi;
    source = { ...source, csi };
  }
  if (!semanticEqual(source, before)) {
    const message = `spec.persistentvolumesource is immutable after creation\n${persistentVolumeSourceDiff(before, source)}`;
    errors.push(forbiddenField(SPEC.child('persistentvolumesource'), message));
  }
  validateImmutable(errors, object.spec?.volumeMode, old.spec?.volumeMode, path('volumeMode'));
}

const BETA_LABELS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
    'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
    'beta.kubernetes.io/os': 'kubernetes.io/os',
    'beta.kubernetes.io/arch': 'kubernetes.io/arch',
    'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
  }),
);

/** nodeAffinity is immutable once set, except that deprecated labels may be replaced by their successors. */
function nodeAffinityUpdate(errors: FieldError[], object: PersistentVolume, old: PersistentVolume): void {
  const before = old.spec?.nodeAffinity;
  const affinity = object.spec?.nodeAffinity;
  if (!before || semanticEqual(affinity, before) || semanticEqual(affinity, withLabelsOf(affinity, before))) return;
  const shown = affinity ? goStruct('io.k8s.api.core.v1.VolumeNodeAffinity', affinity) : null;
  errors.push(
    invalidValue(path('nodeAffinity'), shown, 'field is immutable, except for updating from beta label to GA'),
  );
}

function withLabelsOf(affinity: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity): VolumeNodeAffinity {
  const terms = old.required?.nodeSelectorTerms?.map((term, i) => {
    const replaced = affinity?.required?.nodeSelectorTerms?.[i];
    const rename = (list: 'matchExpressions' | 'matchFields') =>
      term[list]?.map((requirement, j) => {
        const key = replaced?.[list]?.[j]?.key;
        return key !== undefined && BETA_LABELS.get(requirement.key) === key ? { ...requirement, key } : requirement;
      });
    const [matchExpressions, matchFields] = [rename('matchExpressions'), rename('matchFields')];
    return { ...(matchExpressions ? { matchExpressions } : {}), ...(matchFields ? { matchFields } : {}) };
  });
  return old.required ? { required: { ...old.required, ...(terms ? { nodeSelectorTerms: terms } : {}) } } : old;
}

function attributesClassUpdate(errors: FieldError[], object: PersistentVolume, old: PersistentVolume): void {
  if (old.spec?.volumeAttributesClassName !== undefined && object.spec?.volumeAttributesClassName === undefined) {
    errors.push(
      forbiddenField(SPEC.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden'),
    );
  }
}

function resourceVersionUpdate(errors: FieldError[], object: PersistentVolume): void {
  if (!object.metadata?.resourceVersion) errors.push(required(path('resourceVersion')));
}

const mountsAgain = (errors: FieldError[], object: PersistentVolume): void => mountOptions(errors, object);

export const persistentVolume: KindValidation<PersistentVolume> = {
  create: [metadata(RULES), (errors, object) => validateSpec(errors, object), mountOptions],
  // As upstream, an update validates the volume twice.
  update: [
    metadataAgain(RULES),
    validateSpec,
    mountsAgain,
    metadataAgain(RULES),
    validateSpec,
    mountsAgain,
    sourceUpdate,
    nodeAffinityUpdate,
    attributesClassUpdate,
  ],
  status: [metadataUpdate, resourceVersionUpdate],
  warnings: [persistentVolumeWarnings],
};
