/** Checks of leader election: a lease has one holder at a time, and who does not hold it does not write. */
import type { Lease } from '../../api/generated/coordination-v1.ts';
import { MANAGERS, OPERATORS, SCHEDULERS } from '../faults/fault.ts';
import { STOLEN } from '../faults/processes.ts';
import { ELECTION } from '../world/election.ts';
import type { StoreLog } from '../world/store-log.ts';
import type { Check } from './check.ts';

const CANDIDATES = new Map(
  [...MANAGERS, ...SCHEDULERS, ...OPERATORS].map((process) => [process as string, process.replace(/-\d+$/, '')]),
);
const LEASES = new Set([...CANDIDATES.values()].map((name) => `kube-system/${name}`));
/** Clocks run up to ten percent fast or slow. */
const DRIFT = 0.9;
/** A leader that cannot renew stops within its deadline. */
const STOPS_WITHIN_MS = ELECTION.renewDeadlineMs / DRIFT + 2_000;

const holderOf = (lease: unknown): string => (lease as Lease | undefined)?.spec?.holderIdentity ?? '';

/** Whether the process held the lease at some time between the two. */
function held(log: StoreLog, lease: string, process: string, from: number, to: number): boolean {
  const history = log.history('Lease', lease);
  return history.some(({ at, after }, i) => {
    const until = history[i + 1]?.at ?? Infinity;
    return holderOf(after) === process && at <= to && until >= from;
  });
}

export const leaderChecks = {
  'leases-are-taken-when-they-expire': {
    because: 'a lease passes to another holder only when it was given up or has expired, and that begins a new term',
    committed({ kind, id, at, before, after }, { log, looked }) {
      if (kind !== 'Lease' || !LEASES.has(id) || !before || !after) return undefined;
      const [was, is] = [holderOf(before), holderOf(after)];
      if (was === '' || is === '' || was === is || is === STOLEN) return undefined;
      looked();
      const [term, next] = [before, after].map((lease) => (lease as Lease).spec?.leaseTransitions ?? 0);
      if (next !== term! + 1) return `${id} passed from ${was} to ${is} within term ${term}`;
      const renewedAt = log.history('Lease', id).at(-2)?.at ?? 0;
      return at - renewedAt < ELECTION.leaseDurationMs * DRIFT
        ? `${is} took ${id} ${Math.round(at - renewedAt)} ms after ${was} had renewed it`
        : undefined;
    },
  },
  'leaders-write-in-their-term': {
    because: 'a candidate writes only while it leads, or until it must have noticed that it does not',
    answered({ process, request, sentAt, status }, { log, looked }) {
      const component = CANDIDATES.get(process);
      if (component === undefined || request.method === 'GET' || status === undefined || status >= 300)
        return undefined;
      if (/\/(leases|events)(\/|$)/.test(request.path)) return undefined;
      const lease = `kube-system/${component}`;
      // An operator of one's own may go without a lease.
      if (log.history('Lease', lease).length === 0) return undefined;
      looked();
      return held(log, lease, process, sentAt - STOPS_WITHIN_MS, sentAt)
        ? undefined
        : `${process} sent ${request.method} ${request.path} without having led`;
    },
  },
} satisfies Record<string, Check>;
