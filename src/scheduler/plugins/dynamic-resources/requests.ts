/** The device requests of a ResourceClaim, with what their DeviceClasses add. */
import type {
  CapacityRequirements,
  DeviceClass,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
} from '../../../api/generated/resource-v1.ts';

/** One alternative of a request: the request itself, or a subrequest of firstAvailable. */
export interface DeviceRequestOption {
  readonly subrequest: string | undefined;
  readonly className: string;
  /** CEL expressions of the class and of the request; all must match. */
  readonly selectors: readonly string[];
  readonly all: boolean;
  readonly count: number;
  readonly adminAccess: boolean;
  readonly tolerations: readonly DeviceToleration[];
  readonly capacity: CapacityRequirements | undefined;
}

export interface PendingRequest {
  readonly name: string;
  /** The first that can be allocated is used. */
  readonly options: readonly DeviceRequestOption[];
}

/** The requests of a claim; a message when a class does not exist. */
export function requestsOf(
  claim: ResourceClaim,
  classes: (name: string) => DeviceClass | undefined,
): PendingRequest[] | string {
  const requests: PendingRequest[] = [];
  for (const { name, exactly, firstAvailable } of claim.spec.devices?.requests ?? []) {
    const options: DeviceRequestOption[] = [];
    for (const [subrequest, wanted] of alternatives(exactly, firstAvailable)) {
      const deviceClass = classes(wanted.deviceClassName);
      if (deviceClass === undefined)
        return `request ${subrequest === undefined ? name : `${name}/${subrequest}`}: device class ${wanted.deviceClassName} does not exist`;
      options.push(optionOf(subrequest, wanted, deviceClass));
    }
    requests.push({ name, options });
  }
  return requests;
}

function alternatives(
  exactly: ExactDeviceRequest | undefined,
  firstAvailable: readonly DeviceSubRequest[] | undefined,
): [string | undefined, ExactDeviceRequest | DeviceSubRequest][] {
  if (exactly !== undefined) return [[undefined, exactly]];
  return (firstAvailable ?? []).map((sub) => [sub.name, sub]);
}

function optionOf(
  subrequest: string | undefined,
  wanted: ExactDeviceRequest | DeviceSubRequest,
  deviceClass: DeviceClass,
): DeviceRequestOption {
  const selectors = [...(deviceClass.spec.selectors ?? []), ...(wanted.selectors ?? [])].flatMap((s) =>
    s.cel ? [s.cel.expression] : [],
  );
  return {
    subrequest,
    className: wanted.deviceClassName,
    selectors,
    all: wanted.allocationMode === 'All',
    count: wanted.count ?? 1,
    adminAccess: 'adminAccess' in wanted && wanted.adminAccess === true,
    tolerations: wanted.tolerations ?? [],
    capacity: wanted.capacity,
  };
}
