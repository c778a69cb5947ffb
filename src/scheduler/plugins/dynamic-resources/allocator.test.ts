import { describe, expect, it } from 'vitest';
import type {
  Device,
  DeviceClass,
  DeviceClaim,
  ResourceClaim,
  ResourceSlice,
} from '../../../api/generated/resource-v1.ts';
import { NodeTable } from '../../cache/node-table.ts';
import { allocate } from './allocator.ts';
import { usageOf } from './device-usage.ts';
import { poolsOf } from './pools.ts';
import { requestsOf } from './requests.ts';

const node = (() => {
  const table = new NodeTable();
  const info = table.obtain('n');
  info.labels = { zone: 'a' };
  return info;
})();

const slice = (devices: Device[], more: Partial<ResourceSlice['spec']> = {}): ResourceSlice => ({
  metadata: { name: 's' },
  spec: {
    driver: 'gpu.example.com',
    nodeName: 'n',
    pool: { name: 'n', generation: 1, resourceSliceCount: 1 },
    devices,
    ...more,
  },
});
const claim = (devices: DeviceClaim, name = 'c'): ResourceClaim => ({
  metadata: { namespace: 'default', name, uid: name },
  spec: { devices },
});
const deviceClass: DeviceClass = {
  metadata: { name: 'gpu' },
  spec: {
    selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }],
    config: [{ opaque: { driver: 'gpu.example.com', parameters: { x: 1 } } }],
  },
};
const classes = (name: string): DeviceClass | undefined => (name === 'gpu' ? deviceClass : undefined);

function devicesFor(
  wanted: ResourceClaim,
  slices: readonly ResourceSlice[],
  others: readonly ResourceClaim[] = [],
  classOf = classes,
): string[] | undefined {
  const requests = requestsOf(wanted, classOf);
  if (typeof requests === 'string') throw new Error(requests);
  const results = allocate([{ claim: wanted, requests }], {
    pools: poolsOf(slices, node),
    usage: usageOf(others),
    classes,
    now: '2026-01-01T00:00:00Z',
    shareId: () => 'share',
  });
  return results?.[0]!.devices!.results!.map((r) => `${r.request}=${r.device}`);
}

const A: Device = {
  name: 'a',
  attributes: { model: { string: 'x' }, memory: { int: 40 }, driverVersion: { version: '1.2.0' } },
  capacity: { memory: { value: '40Gi' } },
};
const B: Device = {
  name: 'b',
  attributes: { model: { string: 'y' }, memory: { int: 80 } },
  capacity: { memory: { value: '80Gi' } },
};
const C: Device = { name: 'c', attributes: { model: { string: 'x' }, memory: { int: 80 } } };
const exactly = (more: object = {}) => ({ deviceClassName: 'gpu', ...more });
const selector = (expression: string) => ({ selectors: [{ cel: { expression } }] });
const taken = (device: string): ResourceClaim => ({
  ...claim({}, `taken-${device}`),
  status: { allocation: { devices: { results: [{ request: 'r', driver: 'gpu.example.com', pool: 'n', device }] } } },
});

describe('allocate', () => {
  it.each<[string, DeviceClaim, ResourceSlice[], ResourceClaim[], string[] | undefined]>([
    ['the first that matches', { requests: [{ name: 'r', exactly: exactly() }] }, [slice([A, B])], [], ['r=a']],
    ['one that is free', { requests: [{ name: 'r', exactly: exactly() }] }, [slice([A, B])], [taken('a')], ['r=b']],
    [
      'none when all are taken',
      { requests: [{ name: 'r', exactly: exactly() }] },
      [slice([A])],
      [taken('a')],
      undefined,
    ],
    [
      'by an attribute',
      { requests: [{ name: 'r', exactly: exactly(selector('device.attributes["gpu.example.com"].memory >= 80')) }] },
      [slice([A, B])],
      [],
      ['r=b'],
    ],
    [
      'by a version',
      {
        requests: [
          {
            name: 'r',
            exactly: exactly(
              selector(
                '"driverVersion" in device.attributes["gpu.example.com"] && device.attributes["gpu.example.com"].driverVersion.isGreaterThan(semver("1.1.0"))',
              ),
            ),
          },
        ],
      },
      [slice([B, A])],
      [],
      ['r=a'],
    ],
    [
      'by a capacity',
      {
        requests: [
          {
            name: 'r',
            exactly: exactly(selector('device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("50Gi"))')),
          },
        ],
      },
      [slice([A, B])],
      [],
      ['r=b'],
    ],
    [
      'several of them',
      { requests: [{ name: 'r', exactly: exactly({ count: 2 }) }] },
      [slice([A, B])],
      [],
      ['r=a', 'r=b'],
    ],
    [
      'all of them',
      { requests: [{ name: 'r', exactly: exactly({ allocationMode: 'All' }) }] },
      [slice([A, B])],
      [],
      ['r=a', 'r=b'],
    ],
    [
      'not all of them when one is taken',
      { requests: [{ name: 'r', exactly: exactly({ allocationMode: 'All' }) }] },
      [slice([A, B])],
      [taken('b')],
      undefined,
    ],
    [
      'taking choices back for a later request',
      {
        requests: [
          { name: 'any', exactly: exactly() },
          { name: 'x', exactly: exactly(selector('device.attributes["gpu.example.com"].model == "x"')) },
        ],
      },
      [slice([A, B])],
      [],
      ['any=b', 'x=a'],
    ],
    [
      'that agree on an attribute',
      {
        requests: [{ name: 'r', exactly: exactly({ count: 2 }) }],
        constraints: [{ matchAttribute: 'gpu.example.com/model' }],
      },
      [slice([A, B, C])],
      [],
      ['r=a', 'r=c'],
    ],
    [
      'that have a value of an attribute in common',
      {
        requests: [{ name: 'r', exactly: exactly({ count: 3 }) }],
        constraints: [{ matchAttribute: 'gpu.example.com/numa' }],
      },
      [
        slice([
          { name: 'a', attributes: { numa: { ints: [0, 1] } } },
          { name: 'b', attributes: { numa: { ints: [1, 2] } } },
          { name: 'c', attributes: { numa: { ints: [0, 2] } } },
          { name: 'd', attributes: { numa: { string: '1' } } },
          { name: 'e', attributes: { 'gpu.example.com/numa': { int: 1 } } },
        ]),
      ],
      [],
      ['r=a', 'r=b', 'r=e'],
    ],
    [
      'that have no value of an attribute in common',
      {
        requests: [{ name: 'r', exactly: exactly({ count: 3 }) }],
        constraints: [{ distinctAttribute: 'gpu.example.com/numa' }],
      },
      [
        slice([
          { name: 'a', attributes: { numa: { strings: ['x', 'y'] } } },
          { name: 'b', attributes: { numa: { strings: ['y', 'z'] } } },
          { name: 'c', attributes: { numa: { versions: ['1.0.0'] } } },
          { name: 'd', attributes: { numa: { string: 'x' } } },
          { name: 'e', attributes: { numa: { strings: ['1.0.0'] } } },
        ]),
      ],
      [],
      ['r=a', 'r=c', 'r=e'],
    ],
    [
      'by the values of an attribute',
      {
        requests: [
          {
            name: 'r',
            exactly: exactly(
              selector(
                'device.attributes["gpu.example.com"].models.includes("b") && device.attributes["gpu.example.com"].versions.exists(v, v.isGreaterThan(semver("1.0.0")))',
              ),
            ),
          },
        ],
      },
      [
        slice([
          { name: 'a', attributes: { models: { strings: ['a'] }, versions: { versions: ['2.0.0'] } } },
          { name: 'b', attributes: { models: { strings: ['a', 'b'] }, versions: { versions: ['1.0.0'] } } },
          { name: 'c', attributes: { models: { string: 'b' }, versions: { versions: ['0.1.0', '1.2.0'] } } },
        ]),
      ],
      [],
      ['r=c'],
    ],
    [
      'the first alternative that works',
      {
        requests: [
          {
            name: 'r',
            firstAvailable: [
              { name: 'big', deviceClassName: 'gpu', ...selector('device.attributes["gpu.example.com"].memory > 100') },
              { name: 'small', deviceClassName: 'gpu' },
            ],
          },
        ],
      },
      [slice([A])],
      [],
      ['r/small=a'],
    ],
    [
      'not with a taint',
      { requests: [{ name: 'r', exactly: exactly() }] },
      [slice([{ ...A, taints: [{ key: 'broken', effect: 'NoSchedule' }] }])],
      [],
      undefined,
    ],
    [
      'with a toleration',
      { requests: [{ name: 'r', exactly: exactly({ tolerations: [{ key: 'broken', operator: 'Exists' }] }) }] },
      [slice([{ ...A, taints: [{ key: 'broken', effect: 'NoSchedule' }] }])],
      [],
      ['r=a'],
    ],
    [
      'of another node',
      { requests: [{ name: 'r', exactly: exactly() }] },
      [slice([A], { nodeName: 'other' })],
      [],
      undefined,
    ],
    [
      'of nodes with a label',
      { requests: [{ name: 'r', exactly: exactly() }] },
      [
        slice([A], {
          nodeName: undefined,
          nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
        }),
      ],
      [],
      ['r=a'],
    ],
    [
      'for administration, though taken',
      { requests: [{ name: 'r', exactly: exactly({ adminAccess: true }) }] },
      [slice([A])],
      [taken('a')],
      ['r=a'],
    ],
    [
      'parts, as far as the counters go',
      { requests: [{ name: 'r', exactly: exactly({ count: 2 }) }] },
      [slice(parts(), { sharedCounters: [{ name: 'card', counters: { slices: { value: '3' } } }] })],
      [],
      undefined,
    ],
    [
      'parts that fit together',
      { requests: [{ name: 'r', exactly: exactly({ count: 2 }) }] },
      [slice(parts(), { sharedCounters: [{ name: 'card', counters: { slices: { value: '4' } } }] })],
      [],
      ['r=half0', 'r=half1'],
    ],
    [
      'shares of one device',
      { requests: [{ name: 'r', exactly: exactly({ count: 2, capacity: { requests: { memory: '20Gi' } } }) }] },
      [slice([{ ...A, allowMultipleAllocations: true }])],
      [],
      ['r=a', 'r=a'],
    ],
    [
      'no more shares than it has',
      { requests: [{ name: 'r', exactly: exactly({ count: 3, capacity: { requests: { memory: '20Gi' } } }) }] },
      [slice([{ ...A, allowMultipleAllocations: true }])],
      [],
      undefined,
    ],
  ])('%s', (_name, devices, slices, others, expected) => {
    expect(devicesFor(claim(devices), slices, others)).toEqual(expected);
  });

  function parts(): Device[] {
    return [0, 1].map((i) => ({
      name: `half${i}`,
      consumesCounters: [{ counterSet: 'card', counters: { slices: { value: '2' } } }],
    }));
  }

  it('writes where the devices are, and the settings of class and claim', () => {
    const wanted = claim({
      requests: [{ name: 'r', exactly: exactly() }],
      config: [{ opaque: { driver: 'gpu.example.com', parameters: { y: 2 } } }],
    });
    const [result] = allocate([{ claim: wanted, requests: requestsOf(wanted, classes) as never }], {
      pools: poolsOf([slice([A])], node),
      usage: usageOf([]),
      classes,
      now: '2026-01-01T00:00:00Z',
      shareId: () => '',
    })!;
    expect(result).toEqual({
      devices: {
        results: [{ request: 'r', driver: 'gpu.example.com', pool: 'n', device: 'a' }],
        config: [
          { source: 'FromClass', requests: ['r'], opaque: { driver: 'gpu.example.com', parameters: { x: 1 } } },
          { source: 'FromClaim', opaque: { driver: 'gpu.example.com', parameters: { y: 2 } } },
        ],
      },
      nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }] },
      allocationTimestamp: '2026-01-01T00:00:00Z',
    });
  });

  it('looks only at the newest state of a pool', () => {
    const old = slice([A]);
    const young = slice([B], { pool: { name: 'n', generation: 2, resourceSliceCount: 1 } });
    expect(devicesFor(claim({ requests: [{ name: 'r', exactly: exactly() }] }), [old, young])).toEqual(['r=b']);
  });

  it.each([
    [
      'of the claim',
      selector('device.attributes["gpu.example.com"].speed > 1'),
      deviceClass.spec.selectors,
      'claim default/c: selector #0: CEL runtime error: no such key: speed',
    ],
    [
      'of the class',
      {},
      [...deviceClass.spec.selectors!, ...selector('device.attributes["gpu.example.com"].speed > 1').selectors],
      'class gpu: selector #1: CEL runtime error: no such key: speed',
    ],
    [
      'that the scheduler cannot compile',
      selector('device.nothing'),
      [],
      'claim default/c: selector #0: CEL compile error: ',
    ],
  ])('names the selector %s that fails', (_name, wanted, selectors, message) => {
    const failing = { ...deviceClass, spec: { selectors } };
    const one = claim({ requests: [{ name: 'r', exactly: exactly(wanted) }] });
    expect(() => devicesFor(one, [slice([A])], [], () => failing)).toThrow(message);
  });

  it('names a class that is missing', () => {
    expect(requestsOf(claim({ requests: [{ name: 'r', exactly: { deviceClassName: 'tpu' } }] }), classes)).toBe(
      'request r: device class tpu does not exist',
    );
  });
});
