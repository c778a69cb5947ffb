/** The resource.k8s.io group, v1alpha3. */
import {
  column,
  deprecatedSince,
  field,
  inVersion,
  listOf,
  message,
  object,
  type KindDeclaration,
} from '../declare.ts';
import { resourceV1 } from './v1.ts';

const CONDITIONS = { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' } as const;

/** DeviceTaintRule, which v1beta2 has as well. */
export const deviceTaintRule = {
  messages: {
    DeviceTaintRule: object('Taints devices that an administrator selects.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'DeviceTaintRuleSpec', 'The devices and the taint.', { required: true, keep: true }),
      status: field(3, 'DeviceTaintRuleStatus', 'The observed state, as the system last reported it.'),
    }),
    DeviceTaintRuleList: listOf('DeviceTaintRule'),
    DeviceTaintRuleSpec: message('The devices and the taint.', {
      deviceSelector: field(1, '*DeviceTaintSelector', 'Which devices; an empty selector is all, none is no device.'),
      taint: field(2, 'DeviceTaint', 'The taint.', { required: true }),
    }),
    DeviceTaintRuleStatus: message('What became of a rule.', {
      conditions: field(1, '[]meta.Condition', 'EvictionInProgress and others; at most 8.', CONDITIONS),
    }),
    DeviceTaintSelector: message('Devices that match all that is set.', {
      driver: field(2, '*string', 'Driver of the device.'),
      pool: field(3, '*string', 'Pool of the device.'),
      device: field(4, '*string', 'Name of the device.'),
    }),
  },
  kind: {
    kind: 'DeviceTaintRule',
    plural: 'devicetaintrules',
    namespaced: false,
    subresources: { status: { verbs: ['get', 'patch', 'update'] } },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Key', 'string'),
      column('Value', 'string'),
      column('Effect', 'string'),
      column('TimeAdded', 'string'),
      column('Age', 'string'),
    ],
  } satisfies KindDeclaration,
};

export const resourceV1alpha3 = inVersion(resourceV1, 'v1alpha3', {
  messages: {
    ...deviceTaintRule.messages,
    PoolStatus: message('How many devices of a pool are in use.', {
      driver: field(1, 'string', 'Driver of the pool.', { required: true }),
      poolName: field(2, 'string', 'Name of the pool.', { required: true }),
      generation: field(9, 'int64', "Number of the pool's state that was counted.", { required: true, keep: true }),
      resourceSliceCount: field(8, '*int32', 'How many slices the pool has.'),
      totalDevices: field(4, '*int32', 'How many devices there are.'),
      allocatedDevices: field(5, '*int32', 'How many are allocated.'),
      availableDevices: field(6, '*int32', 'How many can be allocated.'),
      unavailableDevices: field(7, '*int32', 'How many cannot be allocated and are not, because of taints.'),
      nodeName: field(3, '*string', 'The node of the pool, if it has one.'),
      validationError: field(10, '*string', 'Why the pool was not counted.'),
    }),
    ResourcePoolStatusRequest: object('Asks once how many devices of pools are in use.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations.", {
        required: true,
      }),
      spec: field(2, 'ResourcePoolStatusRequestSpec', 'The pools; fixed.', { required: true, keep: true }),
      status: field(3, '*ResourcePoolStatusRequestStatus', 'The answer; fixed once it is there.'),
    }),
    ResourcePoolStatusRequestList: listOf('ResourcePoolStatusRequest'),
    ResourcePoolStatusRequestSpec: message('The pools that are asked about.', {
      driver: field(1, 'string', 'Driver of the pools.', { required: true, keep: true }),
      poolName: field(2, '*string', 'The only pool; unset for all of the driver.'),
      limit: field(3, '*int32', 'Most pools in the answer, from 1 to 1000.', { default: 100, statesDefault: true }),
    }),
    ResourcePoolStatusRequestStatus: message('The answer.', {
      poolCount: field(6, '*int32', 'How many pools match, even if not all are listed.', { required: true }),
      pools: field(2, '[]PoolStatus', 'The pools, sorted by driver and name.', { list: 'atomic' }),
      conditions: field(3, '[]meta.Condition', 'Complete or Failed, with reasons; at most 10.', CONDITIONS),
    }),
  },
  kinds: [
    ...deprecatedSince('1.36', [deviceTaintRule.kind]),
    {
      kind: 'ResourcePoolStatusRequest',
      plural: 'resourcepoolstatusrequests',
      namespaced: false,
      subresources: { status: { verbs: ['get', 'patch', 'update'] } },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Driver', 'string'),
        column('Total', 'string'),
        column('Available', 'string'),
        column('Allocated', 'string'),
        column('Unavailable', 'string'),
        column('Errors', 'string'),
        column('Pools', 'integer'),
        column('Status', 'string'),
        column('Completed', 'string'),
      ],
    },
  ],
});
