/** The health checks `etcd` and `etcd-readiness`: is the store reachable, and does it accept writes? */
import { errorMessage } from '../../base/index.ts';
import type { HealthCheck } from '../../component-server/index.ts';
import type { Store } from '../../etcd/index.ts';
import { DeadlineExceeded, unlessAborted, type Clock } from '../../kernel/index.ts';

/** The key that upstream reads too; it does not exist. */
const HEALTH_KEY = '/registry/health';
const TIMEOUT_MS = 2000;
/** The store is checked at most once in this time. */
const CACHE_MS = 1000;

type Problem = string | undefined;

/**
 * A full store still serves reads: the server is live, because a restart would not help, but not ready. The store clears its
 * alarm when it has space again.
 */
export function etcdChecks(clock: Clock, store: Pick<Store, 'range' | 'alarms'>): HealthCheck[] {
  const isReachable = cached(clock, async () => {
    await store.range({ key: HEALTH_KEY, limit: 1 });
    return undefined;
  });
  const isWritable = cached(clock, async () => {
    const [alarm] = await store.alarms();
    if (alarm !== undefined)
      return alarm.alarm === 'nospace'
        ? 'etcdserver: mvcc: database space exceeded'
        : `etcd alarm ${alarm.alarm.toUpperCase()}`;
    return undefined;
  });
  const both = async (): Promise<Problem> => (await isReachable()) ?? isWritable();
  return [
    { name: 'etcd', endpoints: ['healthz', 'readyz'], check: both },
    { name: 'etcd', endpoints: ['livez'], check: isReachable },
    { name: 'etcd-readiness', endpoints: ['readyz'], check: both },
  ];
}

/** Concurrent and later callers share one result, for a short time. The check has a timeout. */
function cached(clock: Clock, check: () => Promise<Problem>): () => Promise<Problem> {
  let last: { readonly result: Promise<Problem>; until: number } | undefined;
  return () => {
    if (last !== undefined && clock.monotonic() < last.until) return last.result;
    const entry = { result: unlessAborted(clock.deadline(TIMEOUT_MS), check()).catch(reasonOf), until: Infinity };
    last = entry;
    return entry.result.finally(() => (entry.until = clock.monotonic() + CACHE_MS));
  };
}

const reasonOf = (error: unknown): string => {
  if (error instanceof DeadlineExceeded) return 'context deadline exceeded';
  return errorMessage(error);
};
