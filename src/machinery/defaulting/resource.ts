/** Defaults of the group resource.k8s.io. */
import type { DeviceTaint, ExactDeviceRequest } from '../../api/generated/resource-v1.ts';
import type { Device, DeviceRequest } from '../../api/generated/resource-v1beta1.ts';
import type { DefaultingContext } from './message-defaults.ts';

type DeviceCount = Pick<ExactDeviceRequest, 'allocationMode' | 'count'>;

export const defaultDeviceCount = ({ allocationMode, count }: DeviceCount): DeviceCount =>
  allocationMode === 'ExactCount' && !count ? { count: 1 } : {};

/** A device without properties is the same as one with none of them. */
export const defaultDeviceV1beta1 = ({ basic }: Device): Partial<Device> => (basic ? {} : { basic: {} });

/** A request without a class has alternatives, which have the fields. */
export function defaultDeviceRequestV1beta1({ deviceClassName, allocationMode, count }: DeviceRequest): DeviceCount {
  if (!deviceClassName) return {};
  const mode = allocationMode || 'ExactCount';
  return { allocationMode: mode, ...defaultDeviceCount({ allocationMode: mode, ...(count ? { count } : {}) }) };
}

export const defaultDeviceTaint = ({ timeAdded }: DeviceTaint, { now }: DefaultingContext): Partial<DeviceTaint> =>
  timeAdded === undefined && now !== undefined ? { timeAdded: now } : {};
