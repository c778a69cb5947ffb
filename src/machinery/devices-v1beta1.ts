/**
 * Conversion of resource.k8s.io objects between v1 and v1beta1. In v1beta1 a request has the fields of `exactly` itself,
 * and a device those of its properties in `basic`; everything else is the same.
 */
import type {
  Device as DeviceV1,
  DeviceRequest as DeviceRequestV1,
  ExactDeviceRequest,
} from '../api/generated/resource-v1.ts';
import type { Device, DeviceRequest } from '../api/generated/resource-v1beta1.ts';
import { isRecord } from '../base/index.ts';

interface Devices<Request, OneDevice> {
  readonly spec?: {
    readonly devices?: OneDevice[] | { requests?: Request[] };
    /** Of a ResourceClaimTemplate. */
    readonly spec?: Devices<Request, OneDevice>['spec'];
  };
}

export const devicesToV1 = <T extends object>(object: T): T =>
  convert<DeviceRequest, Device>(object, requestToV1, deviceToV1);

export const devicesFromV1 = <T extends object>(object: T): T =>
  convert<DeviceRequestV1, DeviceV1>(object, requestFromV1, deviceFromV1);

function convert<Request, OneDevice>(
  object: object,
  request: (one: Request) => object,
  device: (one: OneDevice) => object,
): never {
  const spec = (object as Devices<Request, OneDevice>).spec;
  return (spec ? { ...object, spec: convertSpec(spec, request, device) } : object) as never;
}

function convertSpec<Request, OneDevice>(
  spec: NonNullable<Devices<Request, OneDevice>['spec']>,
  request: (one: Request) => object,
  device: (one: OneDevice) => object,
): object {
  const { devices } = spec;
  if (isRecord(spec.spec)) return { ...spec, spec: convertSpec<Request, OneDevice>(spec.spec, request, device) };
  if (Array.isArray(devices)) return { ...spec, devices: devices.map(device) };
  if (!devices?.requests) return spec;
  return { ...spec, devices: { ...devices, requests: devices.requests.map(request) } };
}

function requestToV1({ name, firstAvailable, deviceClassName, ...rest }: DeviceRequest): DeviceRequestV1 {
  const given = Boolean(deviceClassName) || Object.values(rest).some((value) => value !== undefined && value !== null);
  const exactly: ExactDeviceRequest = { deviceClassName: deviceClassName ?? '', ...rest };
  return { name, ...(given ? { exactly } : {}), ...(firstAvailable ? { firstAvailable } : {}) };
}

function requestFromV1({ name, exactly, firstAvailable }: DeviceRequestV1): DeviceRequest {
  const { deviceClassName = '', selectors, allocationMode, count, adminAccess, tolerations, capacity } = exactly ?? {};
  return {
    ...{ name, deviceClassName },
    ...(selectors ? { selectors } : {}),
    ...(allocationMode ? { allocationMode } : {}),
    ...(count ? { count } : {}),
    ...(adminAccess === undefined ? {} : { adminAccess }),
    ...(firstAvailable ? { firstAvailable } : {}),
    ...(tolerations ? { tolerations } : {}),
    ...(capacity ? { capacity } : {}),
  };
}

const deviceToV1 = ({ name, basic }: Device): DeviceV1 => ({ name, ...basic });

const deviceFromV1 = ({ name, ...basic }: DeviceV1): Device => ({ name, basic });
