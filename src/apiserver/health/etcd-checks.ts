/** Whether the store answers, and whether it takes writes: the checks `etcd` and `etcd-readiness`. */
import type { Store } from '../../etcd/index.ts';
import { DeadlineExceeded, unlessAborted, type Clock } from '../../kernel/index.ts';
import type { HealthChecks } from './health.ts';

/** Nothing is stored there, neither here nor upstream: reading it asks the store for an answer. */
const HEALTH_KEY = '/registry/health';
const TIMEOUT_MS = 2000;
/** However many ask, the store is asked at most this often. */
const REMEMBERED_MS = 1000;

type Problem = string | undefined;

/**
 * A store that is full still answers reads: the server lives, and a restart would not help, but it is not ready. The
 * store's alarm goes off by itself once it has room.
 */
export function etcdChecks(clock: Clock, store: Pick<Store, 'range' | 'alarms'>): HealthChecks {
  const answers = remembered(clock, async () => {
    await store.range({ key: HEALTH_KEY, limit: 1 });
    return undefined;
  });
  const takesWrites = remembered(clock, async () => {
    const [alarm] = await store.alarms();
    if (alarm !== undefined)
      return alarm.alarm === 'nospace'
        ? 'etcdserver: mvcc: database space exceeded'
        : `etcd alarm ${alarm.alarm.toUpperCase()}`;
    return undefined;
  });
  const both = async (): Promise<Problem> => (await answers()) ?? takesWrites();
  return {
    healthz: [{ name: 'etcd', check: both }],
    livez: [{ name: 'etcd', check: answers }],
    readyz: [
      { name: 'etcd', check: both },
      { name: 'etcd-readiness', check: both },
    ],
  };
}

/** Those who ask at the same time, or soon after, get one answer; it must come in time. */
function remembered(clock: Clock, ask: () => Promise<Problem>): () => Promise<Problem> {
  let last: { readonly answer: Promise<Problem>; until: number } | undefined;
  return () => {
    if (last !== undefined && clock.monotonic() < last.until) return last.answer;
    const asked = { answer: unlessAborted(clock.deadline(TIMEOUT_MS), ask()).catch(reasonOf), until: Infinity };
    last = asked;
    return asked.answer.finally(() => (asked.until = clock.monotonic() + REMEMBERED_MS));
  };
}

const reasonOf = (error: unknown): string => {
  if (error instanceof DeadlineExceeded) return 'context deadline exceeded';
  return error instanceof Error ? error.message : String(error);
};
