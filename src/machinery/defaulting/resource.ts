import type { DeviceTaint, ExactDeviceRequest } from '../../api/generated/resource-v1.ts';
import type { DefaultingContext } from './apply-defaults.ts';

export function defaultDeviceCount(draft: Pick<ExactDeviceRequest, 'allocationMode' | 'count'>): void {
  if (draft.allocationMode === 'ExactCount') draft.count ??= 1;
}

export function defaultDeviceTaint(draft: DeviceTaint, { now }: DefaultingContext): void {
  if (now !== undefined) draft.timeAdded ??= now;
}
