/** The device requests of a ResourceClaim, with what their DeviceClasses add. */
import type {
  CapacityRequirements,
  DeviceClass,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
} from '../../../api/generated/resource-v1.ts';

/** A CEL expression, with what errors call it. */
interface Selector {
  readonly expression: string;
  readonly name: string;
}

/** One alternative of a request: the request itself, or a subrequest of firstAvailable. */
export interface DeviceRequestOption {
  readonly subrequest: string | undefined;
  readonly className: string;
  /** Of the class, then of the request; all must match. */
  readonly selectors: readonly Selector[];
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
      options.push(optionOf(claim, { subrequest, wanted, deviceClass }));
    }
    requests.push({ name, options });
  }
  return requests;
}

interface Alternative {
  readonly subrequest: string | undefined;
  readonly wanted: ExactDeviceRequest | DeviceSubRequest;
  readonly deviceClass: DeviceClass;
}

function alternatives(
  exactly: ExactDeviceRequest | undefined,
  firstAvailable: readonly DeviceSubRequest[] | undefined,
): [string | undefined, ExactDeviceRequest | DeviceSubRequest][] {
  if (exactly !== undefined) return [[undefined, exactly]];
  return (firstAvailable ?? []).map((sub) => [sub.name, sub]);
}

const selectorsOf = (owner: string, selectors: readonly DeviceSelector[] = []): Selector[] =>
  selectors.flatMap(({ cel }, i) => (cel ? [{ expression: cel.expression, name: `${owner}: selector #${i}` }] : []));

/** The claim for extended resources has no name before it is created. */
const UNNAMED_CLAIM = '<extended-resources>';

function optionOf(
  { metadata: { namespace, name = UNNAMED_CLAIM } }: ResourceClaim,
  { subrequest, wanted, deviceClass }: Alternative,
): DeviceRequestOption {
  return {
    subrequest,
    className: wanted.deviceClassName,
    selectors: [
      ...selectorsOf(`class ${deviceClass.metadata.name}`, deviceClass.spec.selectors),
      ...selectorsOf(`claim ${namespace}/${name}`, wanted.selectors),
    ],
    all: wanted.allocationMode === 'All',
    count: wanted.count ?? 1,
    adminAccess: 'adminAccess' in wanted && wanted.adminAccess === true,
    tolerations: wanted.tolerations ?? [],
    capacity: wanted.capacity,
  };
}
