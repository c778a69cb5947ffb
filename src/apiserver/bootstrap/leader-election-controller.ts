/** Runs the elections of coordinated leader election, and deletes LeaseCandidates that nobody renews. */
import type { Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { Loopback } from '../request/loopback.ts';
import { electLeader, isExpiredCandidate, isPending, type Electorate, type LeaseObject } from './elect-leaders.ts';
import type { CandidateObject } from './lease-candidates.ts';

const GROUP = 'coordination.k8s.io';
/** How soon after a change, or after the time that a step asked for, an election goes on. */
const TURN_MS = 250;
const GC_MS = 1_800_000;

export function startLeaderElectionController(ctx: Context, registry: Registry, loopback: Loopback): void {
  const candidates = registry.find(GROUP, 'v1beta1', 'leasecandidates')?.cache;
  if (!candidates) {
    ctx.logger.info(
      'Coordinated leader election needs LeaseCandidates of coordination.k8s.io/v1beta1, which are not served',
    );
    return;
  }
  const leases = registry.require(GROUP, 'v1', 'leases').cache;
  const all = (namespace?: string): CandidateObject[] =>
    candidates.list(namespace).map(({ object }) => object as unknown as CandidateObject);
  const electorate: Electorate = {
    loopback,
    candidates: all,
    lease: (namespace, name) => leases.get(namespace, name)?.object as LeaseObject | undefined,
  };
  /** By `namespace/name` of a lease: when to look at its election. */
  const due = new Map<string, number>();
  const soon = (namespace: string, name: string): unknown => due.set(`${namespace}/${name}`, ctx.clock.now());
  const candidateChanged = (candidate: CandidateObject): void => {
    // One that has been asked is part of an election that is under way.
    if (!isPending(candidate)) soon(candidate.metadata.namespace ?? '', candidate.spec?.leaseName ?? '');
  };
  for (const candidate of all()) candidateChanged(candidate);
  candidates.watch({
    scope: '',
    deliver: ({ entry }) => candidateChanged(entry.object as unknown as CandidateObject),
  });
  leases.watch({ scope: '', deliver: ({ entry }) => void soon(entry.namespace, entry.name) });

  const step = async (key: string): Promise<void> => {
    const [namespace = '', name = ''] = key.split('/');
    due.delete(key);
    try {
      const againMs = await electLeader(ctx, electorate, namespace, name);
      if (againMs !== undefined && !due.has(key)) due.set(key, ctx.clock.now() + againMs);
    } catch (error) {
      if (ctx.signal.aborted) return;
      ctx.logger.error(error, 'An election of coordinated leader election failed', { lease: key });
      due.set(key, ctx.clock.now() + TURN_MS * 20);
    }
  };
  let isBusy = false;
  const turn = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      for (const [key, at] of due) if (at <= ctx.clock.now()) await step(key);
    } finally {
      isBusy = false;
    }
  };
  const collect = async (): Promise<void> => {
    for (const candidate of all().filter((one) => isExpiredCandidate(one, ctx.clock.now()))) {
      const { namespace, name } = candidate.metadata;
      const path = `/apis/${GROUP}/v1beta1/namespaces/${namespace}/leasecandidates/${name}`;
      try {
        await loopback('DELETE', path);
      } catch (error) {
        if (!isStatusError(error, 'NotFound') && !ctx.signal.aborted)
          ctx.logger.error(error, 'Could not delete an expired LeaseCandidate', { path });
      }
    }
  };
  const timers = [ctx.clock.every(TURN_MS, () => void turn()), ctx.clock.every(GC_MS, () => void collect())];
  ctx.signal.addEventListener('abort', () => timers.forEach((timer) => timer.cancel()), { once: true });
}
