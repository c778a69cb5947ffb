import { expect, it } from 'vitest';
import { allocationsText, readAllocations } from './allocation-checkpoint.ts';

const ALLOCATED = new Map([['u-1', { containers: { c: { requests: { cpu: '100m' } }, d: {} } }]]);

it("is upstream's file of allocated resources, byte for byte", () => {
  expect(allocationsText(new Map())).toBe('{"data":"{}","checksum":694314937}');
  expect(allocationsText(ALLOCATED)).toBe(
    '{"data":"{\\"entries\\":{\\"u-1\\":{\\"ContainerResources\\":{\\"c\\":{\\"requests\\":{\\"cpu\\":\\"100m\\"}},\\"d\\":{}},' +
      '\\"PodLevelResources\\":null}}}","checksum":808896712}',
  );
});

it('is read back, and refused where it was changed', () => {
  const text = allocationsText(ALLOCATED);
  expect(readAllocations(text)).toEqual([...ALLOCATED]);
  const withPod = new Map([['u-1', { containers: {}, pod: { limits: { cpu: '1' } } }]]);
  expect(readAllocations(allocationsText(withPod))).toEqual([...withPod]);
  expect(() => readAllocations(text.replace('100m', '200m'))).toThrow('corrupted');
});
