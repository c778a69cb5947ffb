import { expect, it } from 'vitest';
import type { ApiObject } from '../../../client/index.ts';
import type { Handle } from '../../framework/handle.ts';
import { GroupStatus } from './group-status.ts';
import type { GroupReference } from './pod-group.ts';

const group: GroupReference = { source: 'workload', key: 'workload default/g', namespace: 'default', name: 'g' };
const condition = (status: string, reason: string, message: string) => ({
  type: 'PodGroupScheduled',
  status,
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 2,
});
const object = (...conditions: unknown[]): ApiObject =>
  ({ metadata: { namespace: 'default', name: 'g', uid: 'u', generation: 2 }, status: { conditions } }) as ApiObject;

function recorded(tell: (status: GroupStatus) => void): unknown {
  let patch: unknown;
  const handle = {
    clock: { now: () => Date.UTC(2026, 0, 2) },
    background: (task: (signal: AbortSignal) => Promise<void>) => void task(new AbortController().signal),
    client: { resource: () => ({ patch: (_reference: unknown, body: unknown) => Promise.resolve((patch = body)) }) },
  } as unknown as Handle;
  tell(new GroupStatus(handle));
  return patch;
}

const later = { lastTransitionTime: '2026-01-02T00:00:00Z' };
const rows: [name: string, tell: (status: GroupStatus) => void, conditions: unknown[] | undefined][] = [
  [
    'the first failure',
    (s) => s.unschedulable(group, object(), 'no room'),
    [{ ...condition('False', 'Unschedulable', 'no room'), ...later }],
  ],
  [
    'the same failure again is not written',
    (s) => s.unschedulable(group, object(condition('False', 'Unschedulable', 'no room')), 'no room'),
    undefined,
  ],
  [
    'another failure keeps the time',
    (s) => s.unschedulable(group, object(condition('False', 'Unschedulable', 'no room')), 'no disk'),
    [condition('False', 'Unschedulable', 'no disk')],
  ],
  [
    'success after failure',
    (s) => s.scheduled(group, object(condition('False', 'Unschedulable', 'no room')), 3),
    [{ ...condition('True', 'Scheduled', ''), ...later }],
  ],
  [
    'other conditions stay',
    (s) => s.scheduled(group, object({ type: 'DisruptionTarget', status: 'False' }), 3),
    [
      { type: 'DisruptionTarget', status: 'False' },
      { ...condition('True', 'Scheduled', ''), ...later },
    ],
  ],
  [
    'what was scheduled once stays so',
    (s) => s.unschedulable(group, object(condition('True', 'Scheduled', '')), 'no room'),
    undefined,
  ],
];

it.each(rows)('%s', (_name, tell, conditions) => {
  expect(recorded(tell)).toEqual(conditions && { metadata: { uid: 'u' }, status: { conditions } });
});
