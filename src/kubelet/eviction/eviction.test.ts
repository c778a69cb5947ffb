import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { DEFAULT_KUBELET_CONFIGURATION } from '../configuration/kubelet-configuration.ts';
import type { PodSummary } from '../server/stats/summary-types.ts';
import { ignoredContainerFsThresholds, updateContainerFsThresholds } from './disk-layout.ts';
import { storageViolation } from './local-storage.ts';
import { rankPods } from './rank-pods.ts';
import { isMet, thresholdsOf } from './thresholds.ts';

const MI = 2 ** 20;
const time = '2026-01-01T00:00:00Z';

const ranked = (name: string, usedMi: number | undefined, requestMi = 0, priority = 0) => {
  const pod: Pod = {
    metadata: { name, namespace: 'ns', uid: name },
    spec: {
      priority,
      containers: [{ name: 'main', resources: requestMi > 0 ? { requests: { memory: `${requestMi}Mi` } } : {} }],
    },
  };
  const summary: PodSummary | undefined =
    usedMi === undefined
      ? undefined
      : {
          podRef: { name, namespace: 'ns', uid: name },
          startTime: time,
          containers: [],
          memory: { time, workingSetBytes: usedMi * MI },
        };
  return { pod, summary };
};

describe('the order of eviction', () => {
  it.each([
    ['one that uses more than it asked for', [ranked('within', 90, 100), ranked('over', 20, 10)], ['over', 'within']],
    ['one of lower priority', [ranked('high', 50, 0, 10), ranked('low', 10, 0, 1)], ['low', 'high']],
    [
      'one that uses more than it asked for, before priority',
      [ranked('low', 5, 10, 1), ranked('high', 50, 10, 10)],
      ['high', 'low'],
    ],
    ['one that is further over', [ranked('little', 11, 10), ranked('much', 100, 10)], ['much', 'little']],
    ['one that cannot be measured', [ranked('known', 100, 10), ranked('unknown', undefined)], ['unknown', 'known']],
  ])('%s', (_, pods, expected) => {
    expect(rankPods(pods, 'memory').map(({ pod }) => pod.metadata.name)).toEqual(expected);
  });
});

describe('thresholds', () => {
  const thresholds = thresholdsOf({
    ...DEFAULT_KUBELET_CONFIGURATION,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
    evictionMinimumReclaim: { 'memory.available': '50Mi' },
  });
  it.each([
    ['enough memory', 'memory.available', 101 * MI, false, false],
    ['too little memory', 'memory.available', 99 * MI, false, true],
    ['enough, but less than is to be reclaimed', 'memory.available', 120 * MI, true, true],
    ['a tenth of the disk', 'nodefs.available', 100 * MI, false, false],
    ['less than a tenth of the disk', 'nodefs.available', 99 * MI, false, true],
  ] as const)('%s', (_, signal, available, reclaiming, expected) => {
    const threshold = thresholds.find((one) => one.signal === signal)!;
    expect(isMet(threshold, { [signal]: { available, capacity: 1000 * MI } }, { reclaiming })).toBe(expected);
  });

  it.each([
    ['with volumes and logs', 'single-filesystem', '10%'],
    ['with images', 'dedicated-imagefs', '20%'],
    ['with volumes and logs, and images elsewhere', 'split-containerfs', '10%'],
  ] as const)('of containerfs are those of its disk: %s', (_, layout, expected) => {
    const configured = thresholdsOf({
      ...DEFAULT_KUBELET_CONFIGURATION,
      enforceNodeAllocatable: [],
      evictionHard: { 'nodefs.available': '10%', 'imagefs.available': '20%', 'containerfs.available': '90%' },
      evictionSoft: { 'nodefs.inodesFree': '5%' },
      evictionSoftGracePeriod: { 'nodefs.inodesFree': '1m' },
    });
    expect(ignoredContainerFsThresholds(configured)).toEqual([
      'found containerfs.available for hard eviction. ignoring',
    ]);
    const found = updateContainerFsThresholds(configured, layout).filter(({ signal }) =>
      signal.startsWith('containerfs'),
    );
    expect(found.map(({ signal, value, graceMs }) => [signal, value, graceMs])).toEqual([
      ['containerfs.available', expected, 0],
      ...(layout === 'dedicated-imagefs' ? [] : [['containerfs.inodesFree', '5%', 60_000]]),
    ]);
  });

  it('of unknown signals are refused', () => {
    expect(() => thresholdsOf({ ...DEFAULT_KUBELET_CONFIGURATION, evictionHard: { 'cpu.available': '1' } })).toThrow(
      'unknown eviction signal cpu.available',
    );
  });
});

describe('local storage', () => {
  const summary: PodSummary = {
    podRef: { name: 'p', namespace: 'ns', uid: 'u' },
    startTime: time,
    containers: [{ name: 'main', startTime: time, rootfs: { time, usedBytes: 3 * MI }, logs: { time, usedBytes: MI } }],
    volume: [{ name: 'v', time, usedBytes: 2 * MI }],
    'ephemeral-storage': { time, usedBytes: 6 * MI },
  };
  const pod = (spec: Partial<NonNullable<Pod['spec']>>): Pod => ({
    metadata: {},
    spec: { containers: [{ name: 'main' }], ...spec },
  });
  it.each([
    [
      'a full emptyDir',
      pod({ volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] }),
      'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ',
    ],
    ['an emptyDir with room', pod({ volumes: [{ name: 'v', emptyDir: { sizeLimit: '3Mi' } }] }), undefined],
    [
      'all containers together',
      pod({ containers: [{ name: 'main', resources: { limits: { 'ephemeral-storage': '5Mi' } } }] }),
      'Pod ephemeral local storage usage exceeds the total limit of containers 5Mi. ',
    ],
    [
      'one container',
      pod({ containers: [{ name: 'main', resources: { limits: { 'ephemeral-storage': '3Mi' } } }, { name: 'other' }] }),
      'Container main exceeded its local ephemeral storage limit "3Mi". ',
    ],
  ])('%s', (_, given, expected) => {
    expect(storageViolation(given, summary)).toBe(expected);
  });
});
