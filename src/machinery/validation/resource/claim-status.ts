/** Validates the status of ResourceClaims: allocation, reservations and device status. */
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimStatus,
} from '../../../api/generated/resource-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
  tooLong,
  tooMany,
} from '../../errors/index.ts';
import { IMMUTABLE_MESSAGE, utf8Longer } from '../../names/index.ts';
import { validateNodeSelector } from '../core/node/node-selector.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import { checkInterfaceAddress } from '../ip.ts';
import { validateConditions } from '../object-meta.ts';
import { validateBindingConditions } from './binding-conditions.ts';
import { validateBoundedList, validateBoundedSet } from './bounded.ts';
import {
  MAX_CONFIG,
  requestNamesOf,
  validateDeviceConfiguration,
  validateRawObject,
  validateRequestReference,
  validateRequestReferences,
  type RequestNames,
} from './device-claim.ts';
import { validateDriverName, validateLabel, validatePoolName, validateUid } from './device-names.ts';

const STATUS = path('status');
const MAX_CONSUMERS = 256;
const MAX_RESULTS = 32;
const MAX_CONDITIONS = 8;
const MAX_DATA_BYTES = 10 * 1024;
const MAX_IPS = 16;
const MAX_INTERFACE_NAME = 256;
const MAX_HARDWARE_ADDRESS = 128;
const SOURCES = ['FromClaim', 'FromClass'];

export function validateClaimStatus(errors: FieldError[], claim: ResourceClaim, old: ResourceClaim): void {
  const status: ResourceClaimStatus = claim.status ?? {};
  validateBoundedSet(errors, status.reservedFor, STATUS.child('reservedFor'), {
    max: MAX_CONSUMERS,
    item: validateConsumer,
    key: (consumer) => consumer.uid ?? '',
  });
  const allocated = new Set((status.allocation?.devices?.results ?? []).map(deviceIdOf));
  validateBoundedSet(errors, status.devices, STATUS.child('devices'), {
    max: Infinity,
    item: (found, device, at) => validateDeviceStatus(found, device, at, allocated),
    key: deviceIdOf,
    shown: goDeviceId,
  });
  validateReservation(errors, claim, old);
  validateAllocation(errors, claim, old);
}

interface DeviceId {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly shareID?: string;
}

const deviceIdOf = ({ driver = '', pool = '', device = '', shareID }: DeviceId): string =>
  [driver, pool, device, ...(shareID == null ? [] : [shareID])].join('/');

const goDeviceId = ({ driver = '', pool = '', device = '', shareID }: DeviceId): object => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID ?? '',
});

function validateConsumer(errors: FieldError[], consumer: ResourceClaimConsumerReference, at: Path): void {
  for (const name of ['resource', 'name', 'uid'] as const) if (!consumer[name]) errors.push(required(at.child(name)));
}

/** Only an allocated claim can be reserved, and none that is being deleted. */
function validateReservation(errors: FieldError[], { metadata, status }: ResourceClaim, old: ResourceClaim): void {
  const consumers = status?.reservedFor ?? [];
  if (consumers.length === 0) return;
  const at = STATUS.child('reservedFor');
  if (!status?.allocation) errors.push(forbiddenField(at, 'may not be specified when `allocated` is not set'));
  else if (metadata.deletionTimestamp) {
    const before = old.status?.reservedFor ?? [];
    if (consumers.some((consumer) => !before.some((known) => semanticEqual(known, consumer)))) {
      errors.push(
        forbiddenField(at, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'),
      );
    }
  }
}

function validateAllocation(errors: FieldError[], { spec, status }: ResourceClaim, old: ResourceClaim): void {
  const [now, before] = [status?.allocation, old.status?.allocation];
  const at = STATUS.child('allocation');
  if (now && before) {
    if (semanticEqual(now, before)) return;
    errors.push(invalidValue(at, goStruct('io.k8s.api.resource.v1.AllocationResult', now), IMMUTABLE_MESSAGE));
  } else if (now) {
    validateAllocationResult(errors, now, at, requestNamesOf(spec?.devices));
  }
}

function validateAllocationResult(
  errors: FieldError[],
  { devices, nodeSelector }: AllocationResult,
  at: Path,
  names: RequestNames,
): void {
  const devicesAt = at.child('devices');
  validateBoundedList(errors, devices?.results, devicesAt.child('results'), {
    max: MAX_RESULTS,
    item: (found, result, resultAt) => validateResult(found, result, resultAt, names),
  });
  // The configuration of the class and of the claim.
  validateBoundedList(errors, devices?.config, devicesAt.child('config'), {
    max: 2 * MAX_CONFIG,
    item: (found, config, configAt) => validateAllocationConfig(found, config, configAt, names),
  });
  if (nodeSelector) validateNodeSelector(errors, nodeSelector, at.child('nodeSelector'), { invalidValues: false });
}

function validateResult(
  errors: FieldError[],
  result: DeviceRequestAllocationResult,
  at: Path,
  names: RequestNames,
): void {
  validateRequestReference(errors, result.request ?? '', at.child('request'), names);
  validateDriverName(errors, result.driver ?? '', at.child('driver'));
  validatePoolName(errors, result.pool ?? '', at.child('pool'));
  validateLabel(errors, result.device ?? '', at.child('device'));
  validateBindingConditions(errors, result, at);
  if (result.shareID != null) validateUid(errors, result.shareID, at.child('shareID'));
}

function validateAllocationConfig(
  errors: FieldError[],
  config: DeviceAllocationConfiguration,
  at: Path,
  names: RequestNames,
): void {
  const source = config.source ?? '';
  if (source === '') errors.push(required(at.child('source')));
  else if (!SOURCES.includes(source)) errors.push(notSupported(at.child('source'), source, SOURCES));
  validateRequestReferences(errors, config.requests, at.child('requests'), names);
  validateDeviceConfiguration(errors, config.opaque, at.child('opaque'));
}

function validateDeviceStatus(
  errors: FieldError[],
  device: AllocatedDeviceStatus,
  at: Path,
  allocated: ReadonlySet<string>,
): void {
  validateDriverName(errors, device.driver ?? '', at.child('driver'));
  validatePoolName(errors, device.pool ?? '', at.child('pool'));
  validateLabel(errors, device.device ?? '', at.child('device'));
  if (device.shareID != null) validateUid(errors, device.shareID, at.child('shareID'));
  if (!allocated.has(deviceIdOf(device)))
    errors.push(invalidValue(at, goDeviceId(device), 'must be an allocated device in the claim'));
  const conditions = device.conditions ?? [];
  if (conditions.length > MAX_CONDITIONS)
    errors.push(tooMany(at.child('conditions'), conditions.length, MAX_CONDITIONS));
  validateConditions(errors, conditions, at.child('conditions'));
  if (device.data != null) validateRawObject(errors, device.data, at.child('data'), MAX_DATA_BYTES);
  if (device.networkData) validateNetworkData(errors, device.networkData, at.child('networkData'));
}

function validateNetworkData(
  errors: FieldError[],
  { interfaceName = '', hardwareAddress = '', ips }: NetworkDeviceData,
  at: Path,
): void {
  if (utf8Longer(interfaceName, MAX_INTERFACE_NAME))
    errors.push(tooLong(at.child('interfaceName'), MAX_INTERFACE_NAME));
  if (utf8Longer(hardwareAddress, MAX_HARDWARE_ADDRESS))
    errors.push(tooLong(at.child('hardwareAddress'), MAX_HARDWARE_ADDRESS));
  validateBoundedSet(errors, ips, at.child('ips'), { max: MAX_IPS, item: checkInterfaceAddress, key: (ip) => ip });
}
