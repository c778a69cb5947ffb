import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { byAverage, byShare, byUtilization, byValue, requestsOf } from './replica-calculator.ts';

const tolerance = { up: 0.1, down: 0.1 };
const now = Date.UTC(2026, 0, 1);

function pod(name: string, phase = 'Running'): Pod {
  return {
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] },
    status: {
      phase,
      startTime: '2025-01-01T00:00:00Z',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-01-01T00:01:00Z' }],
    },
  };
}

const pods = [pod('a'), pod('b'), pod('c')];

describe('replicas by utilization', () => {
  for (const { name, used, more = [], target, replicas } of [
    { name: 'grows with the usage', used: { a: 300, b: 500, c: 700 }, target: 30, replicas: 5 },
    { name: 'shrinks with it', used: { a: 100, b: 300, c: 500 }, target: 50, replicas: 2 },
    { name: 'stays within the tolerance', used: { a: 1010, b: 1030, c: 1020 }, target: 100, replicas: 3 },
    {
      name: 'counts pods without numbers as idle on the way up',
      used: { a: 900, b: 900, c: 900 },
      more: [pod('d')],
      target: 50,
      replicas: 6,
    },
    {
      name: 'counts pods without numbers as full on the way down',
      used: { a: 100, b: 100, c: 100 },
      more: [pod('d')],
      target: 50,
      replicas: 3,
    },
    {
      name: 'does not grow for pods that are still pending',
      used: { a: 400, b: 400, c: 400 },
      more: [pod('d', 'Pending')],
      target: 30,
      replicas: 4,
    },
  ] satisfies { name: string; used: Record<string, number>; more?: Pod[]; target: number; replicas: number }[]) {
    it(name, () => {
      const all = [...pods, ...more];
      const usage = {
        pods: all,
        milliByPod: new Map(Object.entries(used)),
        current: all.length,
        tolerance,
        isCpu: true,
        now,
      };
      expect(byUtilization(usage, target, requestsOf(all, 'cpu')).replicas).toBe(replicas);
    });
  }

  it('needs the requests of pods', () => {
    expect(() => requestsOf(pods, 'memory')).toThrow('missing request for memory in container c of Pod a');
  });
});

describe('replicas by other targets', () => {
  it('an average for each pod', () =>
    expect(
      byAverage(
        {
          pods,
          milliByPod: new Map([
            ['a', 20_000],
            ['b', 10_000],
            ['c', 30_000],
          ]),
          current: 3,
          tolerance,
          isCpu: false,
          now,
        },
        15_000,
      ),
    ).toEqual({ replicas: 4, value: 20_000 }));
  it('a value', () =>
    expect(byValue({ milli: 40_000, targetMilli: 20_000, current: 3, readyPods: 3, tolerance }).replicas).toBe(6));
  it('a share', () => expect(byShare({ milli: 8600, targetMilli: 2000, current: 3, tolerance }).replicas).toBe(5));
});
