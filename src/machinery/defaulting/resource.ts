/** Defaults of the group resource.k8s.io. */
import type { DeviceTaint, ExactDeviceRequest } from '../../api/generated/resource-v1.ts';
import type { DefaultingContext } from './message-defaults.ts';

type DeviceCount = Pick<ExactDeviceRequest, 'allocationMode' | 'count'>;

export const defaultDeviceCount = ({ allocationMode, count }: DeviceCount): DeviceCount =>
  allocationMode === 'ExactCount' && !count ? { count: 1 } : {};

export const defaultDeviceTaint = ({ timeAdded }: DeviceTaint, { now }: DefaultingContext): Partial<DeviceTaint> =>
  timeAdded === undefined && now !== undefined ? { timeAdded: now } : {};
