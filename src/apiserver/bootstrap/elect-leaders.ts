/**
 * Coordinated leader election: picks the holder of a Lease among its LeaseCandidates. Candidates are asked first
 * whether they still are (pingTime), then the best of those that answered becomes the holder; a holder that is not the
 * best is asked to step down (preferredHolder). The state of an election is in these objects alone, and every write
 * names the version that it was derived from, so that several servers may do this at the same time.
 */
import type { Lease } from '../../api/generated/coordination-v1.ts';
import { formatMicroTime } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Loopback } from '../request/loopback.ts';
import { bestCandidate, bestStrategy, type CandidateObject } from './lease-candidates.ts';

const ELECTION_MS = 5000;
const AGAIN_MS = 5000;
const LEASE_SECONDS = 5;
/** Candidates are asked to renew after half of it, and deleted after it. */
const CANDIDATE_VALID_MS = 1_800_000;
const GROUP = '/apis/coordination.k8s.io';

export type LeaseObject = Lease & KubeObject;

export interface Electorate {
  readonly loopback: Loopback;
  /** All candidates of a namespace. */
  candidates(namespace: string): readonly CandidateObject[];
  lease(namespace: string, name: string): LeaseObject | undefined;
}

/** One step of the election of a lease's holder; returns after how many milliseconds to look again. */
export async function electLeader(
  { clock, logger }: Pick<Context, 'clock' | 'logger'>,
  electorate: Electorate,
  namespace: string,
  name: string,
): Promise<number | undefined> {
  const now = clock.now();
  const candidates = electorate
    .candidates(namespace)
    .filter((candidate) => candidate.spec?.leaseName === name && !isExpiredCandidate(candidate, now));
  if (candidates.length === 0) return undefined;
  if (!needsElection(candidates, electorate.lease(namespace, name), now)) return AGAIN_MS;
  if (!(await haveAnswered(electorate, candidates, now))) return AGAIN_MS;
  const answered = candidates.filter((candidate) => renewedAt(candidate) + ELECTION_MS > now);
  if (answered.length === 0) throw new Error(`no available candidates for the lease ${namespace}/${name}`);
  const strategy = bestStrategy(answered);
  const holder = strategy === OLDEST ? bestCandidate(answered)?.metadata.name : undefined;
  await elect(electorate, { namespace, name, strategy, holder }, now);
  logger.v(2).info('Elected the holder of a lease', { lease: `${namespace}/${name}`, holder });
  return AGAIN_MS;
}

const OLDEST = 'OldestEmulationVersion';

const timeOf = (time: string | null | undefined): number => (time ? Date.parse(time) : -Infinity);
const renewedAt = ({ spec }: CandidateObject): number => timeOf(spec?.renewTime);
const pingedAt = ({ spec }: CandidateObject): number => timeOf(spec?.pingTime);

export const isExpiredCandidate = (candidate: CandidateObject, now: number): boolean =>
  renewedAt(candidate) + CANDIDATE_VALID_MS < now;

/** Whether it has been asked, and has not answered yet. */
export const isPending = (candidate: CandidateObject): boolean => renewedAt(candidate) < pingedAt(candidate);

function isExpiredLease({ spec }: LeaseObject, now: number): boolean {
  const { renewTime, leaseDurationSeconds } = spec ?? {};
  return !renewTime || leaseDurationSeconds === undefined || timeOf(renewTime) + leaseDurationSeconds * 1000 < now;
}

function needsElection(candidates: readonly CandidateObject[], lease: LeaseObject | undefined, now: number): boolean {
  if (!lease || isExpiredLease(lease, now) || !lease.spec?.holderIdentity) return true;
  if (candidates.some((candidate) => renewedAt(candidate) + CANDIDATE_VALID_MS / 2 < now)) return true;
  if (bestStrategy(candidates) !== OLDEST) return false;
  const best = bestCandidate(candidates);
  return best !== undefined && best.metadata.name !== lease.spec.holderIdentity;
}

/** Asks those that have not renewed lately; false while one of them may still answer. */
async function haveAnswered(
  { loopback }: Electorate,
  candidates: readonly CandidateObject[],
  now: number,
): Promise<boolean> {
  let answered = true;
  for (const candidate of candidates) {
    const { namespace, name } = candidate.metadata;
    if (isPending(candidate) && pingedAt(candidate) + ELECTION_MS > now) answered = false;
    else if (renewedAt(candidate) + ELECTION_MS > now) continue;
    else if (!candidate.spec?.pingTime || (pingedAt(candidate) + ELECTION_MS < now && !isPending(candidate))) {
      answered = false;
      const asked = { ...candidate, spec: { ...candidate.spec!, pingTime: formatMicroTime(now) } };
      await loopback('PUT', `${GROUP}/v1beta1/namespaces/${namespace}/leasecandidates/${name}`, asked as KubeObject);
    }
  }
  return answered;
}

interface Elected {
  readonly namespace: string;
  readonly name: string;
  readonly strategy: string;
  /** Undefined where another controller picks it. */
  readonly holder: string | undefined;
}

async function elect({ loopback }: Electorate, elected: Elected, now: number): Promise<void> {
  const { namespace, name, strategy, holder } = elected;
  const leases = `${GROUP}/v1/namespaces/${namespace}/leases`;
  const renewed = { leaseDurationSeconds: LEASE_SECONDS, renewTime: formatMicroTime(now) };
  const held = holder === undefined ? {} : { holderIdentity: holder };
  try {
    const spec = { strategy, ...renewed, ...held };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec };
    await loopback('POST', leases, lease);
    return;
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  }
  const existing = (await loopback('GET', `${leases}/${name}`)) as LeaseObject;
  const spec = { ...existing.spec, strategy };
  if (holder !== undefined && holder !== existing.spec?.holderIdentity) {
    if (!existing.spec?.holderIdentity || isExpiredLease(existing, now)) {
      Object.assign(spec, renewed, held);
      delete spec.preferredHolder;
      delete spec.acquireTime;
    } else spec.preferredHolder = holder;
  }
  const same = spec.strategy === existing.spec?.strategy && spec.holderIdentity === existing.spec?.holderIdentity;
  if (same && spec.preferredHolder === existing.spec?.preferredHolder) return;
  await loopback('PUT', `${leases}/${name}`, { ...existing, spec } as KubeObject);
}
