import { describe, expect, it } from 'vitest';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerBehavior } from '../../api/generated/autoscaling-v2.ts';
import { limitReplicas, type ScalingHistory } from './scaling-behavior.ts';

const autoscaler = (behavior?: HorizontalPodAutoscalerBehavior): HorizontalPodAutoscaler => ({
  metadata: {},
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, minReplicas: 1, maxReplicas: 100, behavior },
});
const empty = (): ScalingHistory => ({ recommendations: [], events: [] });

describe('limitReplicas', () => {
  for (const { name, behavior, current, wanted, history = empty(), replicas, reason } of [
    {
      name: 'at most doubles, or adds four, in a period',
      current: 10,
      wanted: 50,
      replicas: 20,
      reason: 'ScaleUpLimit',
    },
    { name: 'adds four to few', current: 1, wanted: 50, replicas: 5, reason: 'ScaleUpLimit' },
    {
      name: 'counts what the period saw already',
      current: 20,
      wanted: 50,
      history: { recommendations: [], events: [{ at: 95_000, change: 10 }] },
      replicas: 20,
      reason: 'ScaleUpLimit',
    },
    { name: 'never goes beyond the maximum', current: 90, wanted: 200, replicas: 100, reason: 'TooManyReplicas' },
    { name: 'never goes below the minimum', current: 5, wanted: 0, replicas: 1, reason: 'TooFewReplicas' },
    {
      name: 'shrinks only to the highest wish of the last minutes',
      current: 10,
      wanted: 2,
      history: { recommendations: [{ at: 50_000, replicas: 8 }], events: [] },
      replicas: 8,
      reason: 'DesiredWithinRange',
    },
    {
      name: 'obeys a pods policy',
      behavior: {
        scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 2, periodSeconds: 60 }] },
      },
      current: 10,
      wanted: 2,
      replicas: 8,
      reason: 'ScaleDownLimit',
    },
    {
      name: 'obeys the smaller of two when told to',
      behavior: {
        scaleUp: {
          selectPolicy: 'Min',
          policies: [
            { type: 'Pods', value: 1, periodSeconds: 60 },
            { type: 'Percent', value: 100, periodSeconds: 60 },
          ],
        },
      },
      current: 10,
      wanted: 30,
      replicas: 11,
      reason: 'ScaleUpLimit',
    },
    {
      name: 'does not move where it may not',
      behavior: { scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: 'Disabled' } },
      current: 10,
      wanted: 2,
      replicas: 10,
      reason: 'ScaleDownLimit',
    },
  ] satisfies {
    name: string;
    behavior?: HorizontalPodAutoscalerBehavior;
    current: number;
    wanted: number;
    history?: ScalingHistory;
    replicas: number;
    reason: string;
  }[]) {
    it(name, () => {
      const limited = limitReplicas(autoscaler(behavior), history, { current, wanted, now: 100_000 });
      expect([limited.replicas, limited.scalingLimited[1]]).toEqual([replicas, reason]);
    });
  }
});
