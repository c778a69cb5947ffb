import type { ObjectMeta } from '../../../api/generated/meta-v1.ts';
/** Dynamic resource allocation: claims, device classes, and the slices in which drivers publish devices. */
import type {
  AllocatedDeviceStatus,
  DeviceRequest,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimStatus,
  ResourceClaimTemplate,
} from '../../../api/generated/resource-v1.ts';
import type { DeviceTaintRule } from '../../../api/generated/resource-v1alpha3.ts';
import { formatTime } from '../../../base/index.ts';
import { type FieldError, forbiddenField, path, type Path } from '../../../machinery/errors/index.ts';
import type { ObjectOf, Strategy, WriteContext } from '../strategy.ts';
import { specChanges } from './spec-generation.ts';

export const deviceClasses: Strategy = { deleteReturnsObject: true, generationChanges: specChanges };

export const resourceSlices: Strategy = {
  deleteReturnsObject: true,
  generationChanges: specChanges,
  countsDisabledFields: true,
};

export const deviceTaintRules: Strategy<ObjectOf<DeviceTaintRule>> = {
  deleteReturnsObject: true,
  generationChanges: specChanges,
  /** A taint with another effect counts as added now. */
  prepareForUpdate({ spec }, old, { ctx }) {
    const [taint, before] = [spec?.taint, old.spec?.taint];
    if (taint && taint.effect !== before?.effect && taint.timeAdded === before?.timeAdded)
      taint.timeAdded = formatTime(ctx.clock.now());
  },
};

export const resourcePoolStatusRequests: Strategy = {
  deleteReturnsObject: true,
  requireResourceVersionOnUpdate: true,
};

export const resourceClaimTemplates: Strategy<ObjectOf<ResourceClaimTemplate>> = {
  deleteReturnsObject: true,
  validate: ({ spec, metadata }, old, request) =>
    old ? [] : validateAdminAccess(requestWithAdminAccess(spec?.spec?.devices?.requests), metadata, request),
};

export const resourceClaims: Strategy<ObjectOf<ResourceClaim>> = {
  deleteReturnsObject: true,
  statusMetadata: 'none',
  statusResetFields: ['spec', 'metadata'],
  prepareForStatusUpdate: forgetDeallocatedDevices,
  validate({ spec, status, metadata }, old, request) {
    if (!old) return validateAdminAccess(requestWithAdminAccess(spec?.devices?.requests), metadata, request);
    const granted = resultWithAdminAccess(old.status);
    return granted ? [] : validateAdminAccess(resultWithAdminAccess(status), metadata, request);
  },
};

const ADMIN_ACCESS_LABEL = 'resource.kubernetes.io/admin-access';

/** Devices that others use are open only to namespaces that the administrator has labelled. */
function validateAdminAccess(at: Path | undefined, { namespace }: ObjectMeta, request: WriteContext): FieldError[] {
  if (!at || request.namespaceLabels(namespace ?? '')[ADMIN_ACCESS_LABEL] === 'true') return [];
  const message = `admin access to devices requires the \`${ADMIN_ACCESS_LABEL}: true\` label on the containing namespace`;
  return [forbiddenField(at, message)];
}

/** Upstream's path, also for the request of a template. v1beta1 has the fields of `exactly` in the request itself. */
function requestWithAdminAccess(
  requests: readonly (DeviceRequest & { adminAccess?: boolean })[] | null | undefined,
): Path | undefined {
  const index = (requests ?? []).findIndex(({ exactly, adminAccess }) => exactly?.adminAccess ?? adminAccess);
  return index < 0 ? undefined : path('spec', 'devices', 'requests').index(index).child('adminAccess');
}

function resultWithAdminAccess(status: ResourceClaimStatus | undefined): Path | undefined {
  const index = (status?.allocation?.devices?.results ?? []).findIndex(({ adminAccess }) => adminAccess);
  return index < 0 ? undefined : path('status', 'allocation', 'devices', 'results').index(index).child('adminAccess');
}

/** Drops device statuses of deallocated devices: a client that deallocates need not know of them. */
function forgetDeallocatedDevices({ status }: ResourceClaim, old: ResourceClaim): void {
  if (!status?.devices) return;
  const gone = new Set((old.status?.allocation?.devices?.results ?? []).map(deviceKey));
  for (const result of status.allocation?.devices?.results ?? []) gone.delete(deviceKey(result));
  const kept = status.devices.filter((device) => !gone.has(deviceKey(device)));
  if (kept.length > 0) status.devices = kept;
  else delete status.devices;
}

const deviceKey = ({ driver, pool, device, shareID }: DeviceRequestAllocationResult | AllocatedDeviceStatus): string =>
  [driver, pool, device, shareID ?? ''].join('/');
