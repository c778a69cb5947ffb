/**
 * The resource.k8s.io group, v1beta1. Unlike v1, a request has the fields of an exact one itself, and a device those of a
 * basic one in `basic`.
 */
import { deprecatedSince, field, type FieldDeclaration, inVersion, message } from '../declare.ts';
import { resourceV1 } from './v1.ts';

const { Device, DeviceRequest, DeviceSubRequest, ExactDeviceRequest, ResourceSliceSpec } = resourceV1.messages;

/** The fields of a message of v1 under other numbers. */
const numbered = (
  fields: Readonly<Record<string, FieldDeclaration>>,
  numbers: Readonly<Record<string, number>>,
): Record<string, FieldDeclaration> =>
  Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, { ...fields[name]!, number }]));

export const resourceV1beta1 = inVersion(resourceV1, 'v1beta1', {
  kinds: deprecatedSince('1.35', resourceV1.kinds),
  messages: {
    BasicDevice: message(
      'Properties of a device.',
      numbered(Device!.fields, {
        ...{ attributes: 1, capacity: 2, consumesCounters: 3, nodeName: 4, nodeSelector: 5, allNodes: 6, taints: 7 },
        ...{ bindsToNode: 8, bindingConditions: 9, bindingFailureConditions: 10, allowMultipleAllocations: 11 },
        nodeAllocatableResourceMappings: 12,
      }),
    ),
    Device: message('One device of a pool.', {
      name: Device!.fields.name!,
      basic: field(2, '*BasicDevice', 'Properties of the device.'),
    }),
    DeviceRequest: message('One request of a claim: the fields of one class, or firstAvailable.', {
      name: DeviceRequest!.fields.name!,
      deviceClassName: field(2, 'string', 'The DeviceClass.', { keep: true }),
      ...numbered(ExactDeviceRequest!.fields, { selectors: 3, allocationMode: 4, count: 5, adminAccess: 6 }),
      allocationMode: field(4, 'DeviceAllocationMode', 'ExactCount (default with a class) or All.'),
      ...numbered(DeviceRequest!.fields, { firstAvailable: 7 }),
      ...numbered(ExactDeviceRequest!.fields, { tolerations: 8, capacity: 9 }),
    }),
    DeviceSubRequest: message(DeviceSubRequest!.description, {
      ...DeviceSubRequest!.fields,
      ...numbered(DeviceSubRequest!.fields, { tolerations: 7, capacity: 8 }),
    }),
    ResourceSliceSpec: message(ResourceSliceSpec!.description, {
      ...ResourceSliceSpec!.fields,
      nodeName: { ...ResourceSliceSpec!.fields.nodeName!, type: 'string' },
      allNodes: { ...ResourceSliceSpec!.fields.allNodes!, type: 'bool' },
    }),
  },
});
