import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { createErrors, updateErrors, type Case } from '../testing/cases.ts';

const kind = { group: 'resource.k8s.io', version: 'v1', plural: 'resourceslices', namespaced: false };
const right: JsonObject = {
  metadata: { name: 's' },
  spec: {
    driver: 'a.io',
    nodeName: 'n',
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'd' }],
  },
};
const device = (change: JsonObject): JsonObject => ({ spec: { devices: [{ name: 'd', ...change }] } });
const attribute = (value: JsonObject): JsonObject => device({ attributes: { a: value } });
const AT = 'spec.devices[0]';
const ATTRIBUTE = `${AT}.attributes[a]`;
const NODES = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
const DEVICE_NODES =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';

describe('ResourceSlices', () => {
  const cases: Case[] = [
    ['right', {}, []],
    [
      'no slices in the pool',
      { spec: { pool: { resourceSliceCount: 0 } } },
      ['spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero'],
    ],
    [
      'before the first generation',
      { spec: { pool: { generation: -1 } } },
      ['spec.pool.generation: Invalid value: -1: must be greater than or equal to zero'],
    ],
    [
      'a resource of the node by its capacity and a factor',
      device({
        capacity: { k: { value: '1' } },
        nodeAllocatableResourceMappings: { cpu: { capacityKey: 'k', allocationMultiplier: '2' } },
      }),
      [],
    ],
    [
      'no resources of nodes',
      device({
        nodeAllocatableResourceMappings: {
          'a.io/b': { allocationMultiplier: '1' },
          cpu: {},
          memory: { allocationMultiplier: '-1', capacityKey: 'none' },
          pods: { capacityKey: '' },
        },
      }),
      [
        `${AT}.nodeAllocatableResourceMappings[a.io/b]: Invalid value: "a.io/b": must be a node allocatable resource name`,
        `${AT}.nodeAllocatableResourceMappings[cpu]: Invalid value: "": at least one of allocationMultiplier or capacityKey must be set`,
        `${AT}.nodeAllocatableResourceMappings[memory].allocationMultiplier: Invalid value: "-1": must be positive`,
        `${AT}.nodeAllocatableResourceMappings[memory].capacityKey: Not found: "none"`,
        `${AT}.nodeAllocatableResourceMappings[pods].capacityKey: Invalid value: "": capacityKey must not be an empty string`,
      ],
    ],
    ['no driver', { spec: { driver: null } }, ['spec.driver: Required value']],
    ['no pool', { spec: { pool: { name: null } } }, ['spec.pool.name: Required value']],
    ['nowhere', { spec: { nodeName: null } }, [`spec: Required value: ${NODES}`]],
    [
      'here and everywhere',
      { spec: { allNodes: true } },
      [`spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${NODES}, but multiple fields are set`],
    ],
    [
      'not everywhere',
      { spec: { allNodes: false } },
      ['spec.allNodes: Invalid value: false: must be either unset or set to true'],
    ],
    [
      'a device twice',
      { spec: { devices: [{ name: 'd' }, { name: 'd' }] } },
      ['spec.devices[1]: Duplicate value: "d"'],
    ],
    [
      'too many devices',
      { spec: { devices: Array.from({ length: 129 }, (_, i) => ({ name: `d${i}` })) } },
      ['spec.devices: Too many: 129: must have at most 128 items'],
    ],
    [
      'devices and counters',
      { spec: { sharedCounters: [{ name: 'c', counters: { m: { value: '1' } } }] } },
      ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'],
    ],
    [
      'a set of no counters',
      { spec: { devices: null, sharedCounters: [{ name: 'c' }] } },
      ['spec.sharedCounters[0].counters: Required value'],
    ],
    [
      'takes from too many sets',
      device({
        consumesCounters: ['a', 'b', 'c'].map((counterSet) => ({ counterSet, counters: { m: { value: '1' } } })),
      }),
      [`${AT}.consumesCounters: Too many: 3: must have at most 2 items`],
    ],
    ['an attribute', attribute({ string: 'x' }), []],
    [
      'an attribute without a value',
      attribute({}),
      [`${ATTRIBUTE}: Invalid value: "": exactly one value must be specified`],
    ],
    [
      'an attribute with two',
      attribute({ int: 1, bool: true }),
      [
        expect.stringMatching(
          /^spec\.devices\[0\]\.attributes\[a\]: Invalid value: \{.*\}: exactly one value must be specified$/,
        ) as unknown as string,
      ],
    ],
    [
      'a long text',
      attribute({ string: 'x'.repeat(65) }),
      [`${ATTRIBUTE}.string: Too long: may not be more than 64 bytes`],
    ],
    ['a version', attribute({ version: '1.2.3-rc.1+5' }), []],
    [
      'half a version',
      attribute({ version: '1.2' }),
      [`${ATTRIBUTE}.version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0`],
    ],
    [
      'too many properties',
      device({ attributes: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`a${i}`, { int: 1 }])) }),
      [`${AT}: Invalid value: 33: the total number of attributes and capacities must not exceed 32`],
    ],
    ['a taint without an effect', device({ taints: [{ key: 'a' }] }), [`${AT}.taints[0].effect: Required value`]],
    [
      'a device of one node',
      device({ nodeName: 'n' }),
      [
        `${AT}: Invalid value: null: \`nodeName\`, \`nodeSelector\` and \`allNodes\` can only be set if \`perDeviceNodeSelection\` is set to true in the ResourceSlice spec`,
      ],
    ],
    [
      'each device of some node',
      { spec: { nodeName: null, perDeviceNodeSelection: true } },
      [`${AT}: Required value: ${DEVICE_NODES}`],
    ],
    [
      'each device of two',
      {
        spec: { nodeName: null, perDeviceNodeSelection: true, devices: [{ name: 'd', nodeName: 'n', allNodes: true }] },
      },
      [`${AT}: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${DEVICE_NODES}`],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });

  const updates: Case[] = [
    ['another driver', { spec: { driver: 'b.io' } }, ['spec.driver: Invalid value: "b.io": field is immutable']],
    ['another pool', { spec: { pool: { name: 'q' } } }, ['spec.pool.name: Invalid value: "q": field is immutable']],
    ['another node', { spec: { nodeName: 'm' } }, ['spec.nodeName: Invalid value: "m": field is immutable']],
    ['other devices', { spec: { devices: [{ name: 'e' }] } }, []],
  ];
  it.each(updates)('update: %s', (_name, change, errors) => {
    expect(updateErrors(kind, right, change)).toEqual(errors);
  });
});

describe('the policy of a shared capacity', () => {
  const policy = (requestPolicy: JsonObject, allowMultipleAllocations = true): JsonObject =>
    device({ allowMultipleAllocations, capacity: { m: { value: '10Gi', requestPolicy } } });
  const POLICY = `${AT}.capacity[m].requestPolicy`;
  const cases: Case[] = [
    ['values', policy({ default: '1Gi', validValues: ['1Gi', '2Gi'] }), []],
    ['a range', policy({ default: '1Gi', validRange: { min: '1Gi', max: '8Gi', step: '1Gi' } }), []],
    [
      'of a device for one',
      policy({ default: '1Gi' }, false),
      [`${POLICY}: Forbidden: allowMultipleAllocations must be true`],
    ],
    [
      'values and a range',
      policy({ default: '1Gi', validValues: ['1Gi'], validRange: { min: '1Gi' } }),
      [
        `${POLICY}: Forbidden: exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`,
      ],
    ],
    [
      'no default',
      policy({ validValues: ['1Gi'] }),
      [`${POLICY}.default: Required value: required when validValues is defined`],
    ],
    [
      'a default that is no value',
      policy({ default: '3Gi', validValues: ['1Gi'] }),
      [`${POLICY}.validValues: Invalid value: "3Gi": default value is not valid according to the requestPolicy`],
    ],
    [
      'values in no order',
      policy({ default: '1Gi', validValues: ['2Gi', '1Gi'] }),
      [`${POLICY}.validValues[1]: Invalid value: "1Gi": values must be sorted in ascending order`],
    ],
    [
      'more than there is',
      policy({ default: '1Gi', validValues: ['1Gi', '20Gi'] }),
      [`${POLICY}.validValues[1]: Invalid value: "20Gi": option is larger than capacity value: 10Gi`],
    ],
    [
      'a range from nowhere',
      policy({ default: '1Gi', validRange: { max: '2Gi' } }),
      [`${POLICY}.validRange.min: Required value: required when validRange is defined`],
    ],
    [
      'a range below its start',
      policy({ default: '2Gi', validRange: { min: '2Gi', max: '1Gi' } }),
      [
        `${POLICY}.validRange.max: Invalid value: "2Gi": min is larger than max: 1Gi`,
        `${POLICY}.validRange.max: Invalid value: "2Gi": default is more than max: 1Gi`,
      ],
    ],
    [
      'a default between the steps',
      policy({ default: '2Gi', validRange: { min: '1Gi', step: '2Gi' } }),
      [`${POLICY}.validRange.step: Invalid value: "2Gi": value is not a multiple of a given step (2Gi) from (1Gi)`],
    ],
    [
      'a step too far',
      policy({ default: '1Gi', validRange: { min: '1Gi', step: '10Gi' } }),
      [`${POLICY}.validRange.step: Invalid value: "10Gi": one step 11Gi is larger than capacity value: 10Gi`],
    ],
  ];
  it.each(cases)('%s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
});
