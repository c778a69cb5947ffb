/** Dynamic resource allocation: claims, device classes, and the slices in which drivers publish devices. */
import type {
  AllocatedDeviceStatus,
  DeviceRequest,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimTemplate,
} from '../../../api/generated/resource-v1.ts';
import { forbiddenField, path, type FieldError } from '../../../machinery/errors/index.ts';
import type { ObjectOf, Strategy, WriteContext } from '../strategy.ts';
import { specChanges } from './spec-generation.ts';

export const deviceClasses: Strategy = { deleteReturnsObject: true, generationChanges: specChanges };

export const resourceSlices: Strategy = { deleteReturnsObject: true, generationChanges: specChanges };

export const resourceClaimTemplates: Strategy<ObjectOf<ResourceClaimTemplate>> = {
  deleteReturnsObject: true,
  validate: ({ spec, metadata }, old, request) =>
    old ? [] : checkAdminAccess(requestsPath(spec?.spec?.devices?.requests), metadata.namespace, request),
};

export const resourceClaims: Strategy<ObjectOf<ResourceClaim>> = {
  deleteReturnsObject: true,
  statusMetadata: 'none',
  statusResetFields: ['spec', 'metadata'],
  prepareForStatusUpdate: forgetDeallocatedDevices,
  validate: ({ spec, status, metadata }, old, request) => {
    if (!old) return checkAdminAccess(requestsPath(spec?.devices?.requests), metadata.namespace, request);
    if (resultsPath(old.status)) return [];
    return checkAdminAccess(resultsPath(status), metadata.namespace, request);
  },
};

type FieldLocation = ReturnType<typeof path>;

const ADMIN_ACCESS_LABEL = 'resource.kubernetes.io/admin-access';

/** Devices that others use may be given to those only who control the labels of a namespace. */
function checkAdminAccess(at: FieldLocation | undefined, namespace = '', request: WriteContext): FieldError[] {
  if (at === undefined || request.namespaceLabels(namespace)[ADMIN_ACCESS_LABEL] === 'true') return [];
  const detail = `admin access to devices requires the \`${ADMIN_ACCESS_LABEL}: true\` label on the containing namespace`;
  return [forbiddenField(at, detail)];
}

/** The first request for admin access; v1beta1 has the fields of `exactly` in the request itself. */
function requestsPath(
  requests: readonly (DeviceRequest & { adminAccess?: boolean })[] = [],
): FieldLocation | undefined {
  const at = requests.findIndex(({ exactly, adminAccess }) => exactly?.adminAccess ?? adminAccess);
  return at < 0 ? undefined : path('spec').child('devices', 'requests').index(at).child('adminAccess');
}

function resultsPath(status: ResourceClaim['status']): FieldLocation | undefined {
  const at = (status?.allocation?.devices?.results ?? []).findIndex(({ adminAccess }) => adminAccess);
  return at < 0 ? undefined : path('status').child('allocation', 'devices', 'results').index(at).child('adminAccess');
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
