import { expect, it } from 'vitest';
import type { CheckContext } from './check.ts';
import { workloadChecks } from './workloads.ts';

const owner = (kind: string, uid: string) => [{ apiVersion: 'apps/v1', kind, name: uid, uid, controller: true }];

/** A Deployment of four with a surge of one, in the middle of a rollout. */
function verdict({ old, updated, pending }: { old: number; updated: number; pending: number }): unknown {
  const pods = (set: string, count: number) =>
    Array.from({ length: count }, () => ({
      metadata: { namespace: 'default', name: set, ownerReferences: owner('ReplicaSet', set) },
      spec: { nodeName: 'sim-0' },
      status: { phase: 'Running' },
    }));
  const waiting = pods('new', pending).map((pod) => ({ ...pod, spec: {}, status: { phase: 'Pending' } }));
  const objects: Record<string, readonly object[]> = {
    Deployment: [
      {
        metadata: { namespace: 'default', name: 'web', uid: 'web', generation: 2 },
        spec: {
          replicas: 4,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
        },
        status: { observedGeneration: 2, updatedReplicas: updated, availableReplicas: old + updated },
      },
    ],
    ReplicaSet: ['old', 'new'].map((uid) => ({ metadata: { uid, ownerReferences: owner('Deployment', 'web') } })),
    Pod: [...pods('old', old), ...pods('new', updated), ...waiting],
  };
  const log = { objects: (kind: string) => objects[kind] ?? [], object: () => ({ metadata: {} }) };
  return workloadChecks['deployments-converge'].settled({ log, looked: () => undefined } as unknown as CheckContext);
}

it.each([
  ['a rollout that is done', { old: 0, updated: 4, pending: 0 }, undefined],
  ['a rollout whose new pods nothing can take', { old: 3, updated: 0, pending: 2 }, undefined],
  ['one pod more than the surge', { old: 4, updated: 0, pending: 2 }, 'Deployment default/web has 6 pods instead of 4'],
  ['too few pods', { old: 2, updated: 0, pending: 1 }, 'Deployment default/web has 3 pods instead of 4'],
  ['a surge that stays', { old: 1, updated: 4, pending: 0 }, 'Deployment default/web has 5 pods instead of 4'],
])('judges %s', (_, pods, expected) => {
  expect(verdict(pods)).toBe(expected);
});
