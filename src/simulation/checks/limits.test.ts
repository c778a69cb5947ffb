import { expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import { VirtualClock } from '../../kernel/index.ts';
import { ProcessClock } from '../world/process-clock.ts';
import type { CheckContext } from './check.ts';
import { limitChecks } from './limits.ts';

const HOUR_MS = 3_600_000;

/** What the check says when a second pod is created beside one that is being deleted, and the quota allows one. */
function verdict(processClock: ProcessClock, clock: VirtualClock): string | undefined {
  const metadata = { namespace: 'team', name: 'going' };
  const going = { deletionTimestamp: formatTime(clock.now() + 30_000), deletionGracePeriodSeconds: 30 };
  const created = { metadata: { namespace: 'team', name: 'new' } } as Pod;
  const objects: Record<string, readonly object[]> = {
    Pod: [{ metadata: { ...metadata, ...going } }, created],
    ResourceQuota: [{ metadata: { namespace: 'team', name: 'pods' }, spec: { hard: { pods: '1' } } }],
  };
  const context = {
    log: { objects: (kind: string) => objects[kind], history: () => [{ at: 0 }] },
    clock,
    processes: new Map([['kube-controller-manager-0', { clock: processClock }]]),
    looked: () => {},
    calmSince: () => 0,
  } as unknown as CheckContext;
  const change = { kind: 'Pod', at: HOUR_MS, after: created } as never;
  return limitChecks['quotas-are-kept'].committed(change, context);
}

it('counts a pod that is being deleted, unless a clock was so far ahead that its grace period was over', () => {
  const clock = new VirtualClock({ startTime: 1_800_000_000_000 });
  const processClock = new ProcessClock(clock);
  expect(verdict(processClock, clock)).toBe('namespace team has 2 pods, and its quota allows 1');
  processClock.jump(HOUR_MS);
  processClock.now();
  processClock.jump(-HOUR_MS);
  expect(verdict(processClock, clock)).toBeUndefined();
});
