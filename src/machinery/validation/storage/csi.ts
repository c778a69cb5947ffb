/** Validation of CSIDrivers, CSINodes and CSIStorageCapacities. */
import type {
  CSIDriver,
  CSIDriverSpec,
  CSINode,
  CSINodeDriver,
  CSIStorageCapacity,
  TokenRequest,
} from '../../../api/generated/storage-v1.ts';
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../errors/index.ts';
import { dns1123Subdomain, IMMUTABLE_MESSAGE, nameIsDnsSubdomain, utf8Longer } from '../../names/index.ts';
import { deprecatedNodeLabel } from '../core/node/node-labels.ts';
import { validateNonnegativeQuantity } from '../core/resources.ts';
import { validateCsiDriverName } from '../core/volume/volume-sources-csi.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { validateLabelName, validateLabelSelector } from '../label-selector.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable, validateNonnegative } from '../object-meta.ts';

const SPEC = path('spec');
const CLUSTER_RULES = { namespaced: false, name: nameIsDnsSubdomain } as const;
const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const MIN_UPDATE_PERIOD = 10;
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;
const MAX_NODE_ID = 256;

const TOKENS_IN_ATTRIBUTES =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

export const csiDriver: KindValidation<CSIDriver> = {
  warnings: [
    (warnings, { spec }, old) => {
      if (old !== undefined && semanticEqual(spec?.tokenRequests, old.spec?.tokenRequests)) return;
      if ((spec?.tokenRequests?.length ?? 0) > 0 && spec.serviceAccountTokenInSecrets === undefined)
        warnings.push(TOKENS_IN_ATTRIBUTES);
    },
  ],
  create: [metadata(CLUSTER_RULES), (errors, object) => validateDriverSpec(errors, object.spec ?? {})],
  update: [
    metadataUpdate,
    (errors, object) => validateDriverSpec(errors, object.spec ?? {}),
    (errors, object, old) => {
      validateImmutable(errors, object.spec?.attachRequired, old.spec?.attachRequired, SPEC.child('attachedRequired'));
      validateImmutable(
        errors,
        object.spec?.volumeLifecycleModes,
        old.spec?.volumeLifecycleModes,
        SPEC.child('volumeLifecycleModes'),
      );
    },
  ],
};

function validateDriverSpec(errors: FieldError[], spec: CSIDriverSpec): void {
  // Upstream's path has one letter more than the field.
  if (spec.attachRequired == null) errors.push(required(SPEC.child('attachedRequired')));
  if (spec.podInfoOnMount == null) errors.push(required(SPEC.child('podInfoOnMount')));
  if (spec.storageCapacity == null) errors.push(required(SPEC.child('storageCapacity')));
  if (spec.fsGroupPolicy != null && !FS_GROUP_POLICIES.includes(spec.fsGroupPolicy)) {
    errors.push(notSupported(SPEC.child('fsGroupPolicy'), spec.fsGroupPolicy, FS_GROUP_POLICIES));
  }
  validateTokenRequests(errors, spec.tokenRequests ?? [], SPEC.child('tokenRequests'));
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (!LIFECYCLE_MODES.includes(mode))
      errors.push(notSupported(SPEC.child('volumeLifecycleModes'), mode, LIFECYCLE_MODES));
  }
  if (spec.seLinuxMount == null) errors.push(required(SPEC.child('seLinuxMount')));
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period != null && period < MIN_UPDATE_PERIOD) {
    const at = SPEC.child('nodeAllocatableUpdatePeriodSeconds');
    errors.push(invalidValue(at, period, `must be greater than or equal to ${MIN_UPDATE_PERIOD} seconds`));
  }
  const inSecrets = spec.serviceAccountTokenInSecrets;
  if (inSecrets != null && !spec.tokenRequests?.length) {
    const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
    errors.push(invalidValue(SPEC.child('serviceAccountTokenInSecrets'), inSecrets, detail));
  }
}

function validateTokenRequests(errors: FieldError[], requests: readonly TokenRequest[], at: Path): void {
  const audiences = new Set<string>();
  for (const [i, { audience = '', expirationSeconds: seconds }] of requests.entries()) {
    if (audiences.has(audience)) {
      errors.push(duplicate(at.index(i).child('audience'), audience));
      continue;
    }
    audiences.add(audience);
    const secondsAt = at.index(i).child('expirationSeconds');
    if (seconds == null) continue;
    if (seconds < MIN_TOKEN_SECONDS)
      errors.push(invalidValue(secondsAt, seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds > MAX_TOKEN_SECONDS)
      errors.push(invalidValue(secondsAt, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
}

export const csiNode: KindValidation<CSINode> = {
  create: [metadata(CLUSTER_RULES), (errors, object) => validateNodeDrivers(errors, object.spec?.drivers ?? [])],
  update: [
    metadataAgain(CLUSTER_RULES),
    (errors, object) => validateNodeDrivers(errors, object.spec?.drivers ?? []),
    (errors, object, old) => validateDriversUnchanged(errors, object.spec?.drivers ?? [], old.spec?.drivers ?? []),
  ],
};

function validateNodeDrivers(errors: FieldError[], drivers: readonly CSINodeDriver[]): void {
  const names = new Set<string>();
  for (const [i, driver] of drivers.entries()) {
    const at = SPEC.child('drivers').index(i);
    const { name = '', nodeID = '', allocatable, topologyKeys } = driver;
    validateCsiDriverName(errors, name, at.child('name'));
    if (nodeID === '') errors.push(required(at.child('nodeID')));
    if (utf8Longer(nodeID, MAX_NODE_ID))
      errors.push(invalidValue(at.child('nodeID'), nodeID, `must be ${MAX_NODE_ID} characters or less`));
    validateNonnegative(errors, allocatable?.count, at.child('allocatable', 'count'));
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    validateTopologyKeys(errors, topologyKeys ?? [], at);
  }
}

function validateTopologyKeys(errors: FieldError[], keys: readonly string[], at: Path): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (key === '') errors.push(required(at));
    if (seen.has(key)) errors.push(duplicate(at, key));
    seen.add(key);
    validateLabelName(errors, key, at);
  }
}

/** Only the allocatable count of an existing driver may change. */
function validateDriversUnchanged(
  errors: FieldError[],
  drivers: readonly CSINodeDriver[],
  old: readonly CSINodeDriver[],
): void {
  for (const before of old) {
    for (const driver of drivers) {
      if (driver.name !== before.name) continue;
      const [now, then] = [driver, before].map(({ allocatable: _, ...rest }) => rest);
      if (semanticEqual(now, then)) continue;
      errors.push(
        invalidValue(SPEC.child('drivers'), goStruct('io.k8s.api.storage.v1.CSINodeDriver', now), IMMUTABLE_MESSAGE),
      );
    }
  }
}

const CAPACITY_RULES = { namespaced: true, name: nameIsDnsSubdomain } as const;

export const csiStorageCapacity: KindValidation<CSIStorageCapacity> = {
  warnings: [
    (warnings, { nodeTopology }) => {
      for (const key of Object.keys(nodeTopology?.matchLabels ?? {}).sort()) {
        const message = deprecatedNodeLabel(key);
        if (message) warnings.push(`nodeTopology.matchLabels.${key}: ${message}`);
      }
    },
  ],
  create: [metadata(CAPACITY_RULES), (errors, object) => validateCapacity(errors, object)],
  update: [
    metadataAgain(CAPACITY_RULES),
    (errors, object) => validateCapacity(errors, object),
    metadataUpdate,
    (errors, object, old) => {
      validateImmutable(errors, object.nodeTopology, old.nodeTopology, path('nodeTopology'));
      validateImmutable(errors, object.storageClassName ?? '', old.storageClassName ?? '', path('storageClassName'));
    },
  ],
};

function validateCapacity(
  errors: FieldError[],
  { nodeTopology, storageClassName = '', capacity }: CSIStorageCapacity,
): void {
  validateLabelSelector(errors, nodeTopology, path('nodeTopology'));
  for (const message of dns1123Subdomain(storageClassName))
    errors.push(invalidValue(path('storageClassName'), storageClassName, message));
  if (capacity != null) validateNonnegativeQuantity(errors, capacity, path('capacity'));
}
