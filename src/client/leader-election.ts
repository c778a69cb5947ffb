import type { Lease, LeaseSpec } from '../api/generated/coordination-v1.ts';
import { formatMicroTime } from '../base/index.ts';
import { childContext, isAbort, type Context } from '../kernel/index.ts';
import type { Client } from './client.ts';
import { createCoreEventRecorder } from './core-event-recorder.ts';
import { isNotFound } from './errors.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { LeaderElectionCheck } from './leader-election-check.ts';
import { standAsCandidate, type CandidateVersions } from './lease-candidate.ts';
import { referenceTo } from './object-reference.ts';
import type { ResourceClient } from './resource-client.ts';
import { withTimeout, type TimeLimit } from './with-timeout.ts';

export interface LeaderElectionOptions {
  client: Client;
  /** The Lease that the candidates compete for. */
  namespace: string;
  name: string;
  /** This candidate's identity; unique, such as host name and a random part. */
  identity: string;
  /** How long the others wait after the last renewal they saw before they take over. */
  leaseDurationMs?: number;
  /** How long the leader continues while renewals fail. */
  renewDeadlineMs?: number;
  /** Time between attempts. */
  retryPeriodMs?: number;
  /** Release the lease on stop, so that others need not wait; default true. */
  releaseOnStop?: boolean;
  onNewLeader?: (identity: string) => void;
  /** The server picks the holder among candidates by these versions: coordinated leader election. */
  coordinated?: CandidateVersions;
  /** Records an event on the Lease when this candidate becomes leader, and when it stops leading. */
  recorder?: EventRecorder;
}

/** Leader election of a component, as its configuration has it. */
export interface LeaderElectionConfiguration {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

/** What a component of the control plane that may have a leader is started with. */
export interface CandidateOptions {
  readonly client: Client;
  /** The holder identity of this process in leader elections. */
  readonly identity: string;
  readonly electionCheck?: LeaderElectionCheck;
  /** Has the server pick the leader among the candidates. */
  readonly coordinated?: CandidateVersions | undefined;
  readonly config: { readonly leaderElect: boolean; readonly leaderElection: LeaderElectionConfiguration };
}

/** The lease was lost and another candidate may lead; the leader's work has been stopped. */
export class LeadershipLost extends Error {
  readonly code = 'leadership-lost';

  constructor(lock: string) {
    super(`leader election lost: the lease ${lock} could not be renewed in time`);
    this.name = 'LeadershipLost';
  }
}

const JITTER = 1.2;

/**
 * Waits to become leader, then runs `lead` until the context stops or the lease is lost. Its signal aborts in either
 * case, and the lease is given back only after it has ended. Rejects with LeadershipLost when the lease was lost.
 */
export async function runWithLeaderElection(
  ctx: Context,
  options: LeaderElectionOptions & { component: string; check?: LeaderElectionCheck | undefined },
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stopped = new AbortController();
  const recorder = createCoreEventRecorder(ctx, options.client, { component: options.component });
  const recording = recorder.run(stopped.signal);
  const standing = options.coordinated && standAsCandidate(ctx, options, options.coordinated, stopped.signal);
  try {
    await leadWhenElected(ctx, { ...options, recorder }, lead);
  } finally {
    stopped.abort();
    await Promise.all([recording, standing]);
  }
}

/** Runs `lead` at once, or, with `--leader-elect`, while this process holds the component's Lease. */
export async function runAsCandidate(
  ctx: Context,
  component: string,
  { client, identity, electionCheck: check, coordinated, config }: CandidateOptions,
  lead: (ctx: Context) => Promise<void>,
): Promise<void> {
  if (!config.leaderElect) return lead(ctx);
  const { resourceNamespace: namespace, resourceName: name, ...timing } = config.leaderElection;
  const lock = { client, identity, namespace, name, ...timing, component, check, ...(coordinated && { coordinated }) };
  await runWithLeaderElection(ctx, lock, (signal) => lead(childContext(ctx, 'leading', signal)));
}

async function leadWhenElected(
  ctx: Context,
  options: LeaderElectionOptions & { check?: LeaderElectionCheck | undefined },
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const elector = new LeaderElector(ctx, options);
  options.check?.observe(elector);
  const labels = { name: options.name };
  const status = ctx.metrics.gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process is the leader by the lease.',
    labels: ['name'],
  });
  status.set(0, labels);
  if (!(await elector.acquire())) return;
  status.set(1, labels);
  const leading = new AbortController();
  const onStop = (): void => leading.abort(ctx.signal.reason);
  if (ctx.signal.aborted) onStop();
  ctx.signal.addEventListener('abort', onStop, { once: true });
  const lost = new LeadershipLost(elector.lock);
  const renewing = elector.renewUntil(leading.signal).then((stillLeader) => {
    if (!stillLeader) leading.abort(lost);
  });
  try {
    await lead(leading.signal);
  } catch (error) {
    if (!isAbort(error, leading.signal)) throw error;
  } finally {
    ctx.signal.removeEventListener('abort', onStop);
    leading.abort();
    await renewing;
    status.set(0, labels);
    if (leading.signal.reason !== lost && options.releaseOnStop !== false) await elector.release();
  }
  if (leading.signal.reason === lost) throw lost;
}

/**
 * One candidate. Timestamps of others are never compared with the local clock, which may be skewed: only how long the
 * lease has not changed counts.
 */
export class LeaderElector {
  readonly lock: string;
  readonly #ctx: Context;
  readonly #options: Required<Omit<LeaderElectionOptions, 'onNewLeader' | 'recorder' | 'coordinated'>> &
    Pick<LeaderElectionOptions, 'onNewLeader' | 'recorder' | 'coordinated'>;
  readonly #leases: ResourceClient<Lease>;
  /** The lease as last read or written, and when its holder or renewal was last seen to change. */
  #observed: Lease | undefined;
  #observedAt = 0;
  #reportedLeader = '';

  constructor(ctx: Context, options: LeaderElectionOptions) {
    this.#ctx = ctx;
    this.#options = {
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      releaseOnStop: true,
      ...options,
    };
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, identity } = this.#options;
    if (identity === '') throw new RangeError('leader election: the identity is empty');
    if (leaseDurationMs <= renewDeadlineMs)
      throw new RangeError('leader election: leaseDuration must be greater than renewDeadline');
    if (renewDeadlineMs <= JITTER * retryPeriodMs)
      throw new RangeError(`leader election: renewDeadline must be greater than retryPeriod × ${JITTER}`);
    this.#leases = options.client.resource('coordination.k8s.io/v1/leases');
    this.lock = `${options.namespace}/${options.name}`;
  }

  get isLeader(): boolean {
    return this.#observed?.spec?.holderIdentity === this.#options.identity;
  }

  /** The last observed leader. */
  get leader(): string {
    return this.#observed?.spec?.holderIdentity ?? '';
  }

  /** Resolves to true on becoming leader, to false when the context stopped first. */
  async acquire(): Promise<boolean> {
    const { clock, random, logger, signal } = this.#ctx;
    logger.info('Attempting to acquire leader lease', { lock: this.lock });
    while (!signal.aborted) {
      if (await this.#attempt(signal)) {
        logger.info('Successfully acquired lease', { lock: this.lock });
        this.#record('became leader');
        return true;
      }
      /** At most a retry period, so that renewals are seen soon, and as soon as the lease expires. */
      const pause = this.#options.retryPeriodMs * (0.5 + 0.5 * random.next());
      await clock.sleep(Math.min(pause, this.#untilExpiry(pause)), signal).catch(() => {});
    }
    return false;
  }

  #record(what: string): void {
    const { recorder, identity, namespace, name } = this.#options;
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name } };
    const { uid, resourceVersion } = this.#observed?.metadata ?? {};
    const reference = referenceTo({ ...lease, metadata: { ...lease.metadata, uid, resourceVersion } });
    recorder?.event({ reference }, 'Normal', 'LeaderElection', `${identity} ${what}`);
  }

  /** Renews until the signal aborts (true), or until renewals have failed for too long (false). */
  async renewUntil(signal: AbortSignal): Promise<boolean> {
    const { clock, logger } = this.#ctx;
    /** When the last successful renewal was sent. Others count from when it was written, which is later. */
    let renewedAt = clock.monotonic();
    for (;;) {
      // Not beyond the deadline: somebody else may lead when the lease has expired.
      const deadline = renewedAt + this.#options.renewDeadlineMs;
      const leftMs = Math.max(0, deadline - clock.monotonic());
      await clock.sleep(Math.min(this.#options.retryPeriodMs, leftMs), signal).catch(() => {});
      if (signal.aborted) return true;
      const startedAt = clock.monotonic();
      const remaining = deadline - startedAt;
      const renewed = remaining > 0 && (await this.#attempt(signal, remaining));
      if (signal.aborted) return true;
      if (renewed) renewedAt = startedAt;
      else if (clock.monotonic() >= deadline) {
        logger.info('Failed to renew lease', { lock: this.lock });
        this.#record('stopped leading');
        return false;
      }
    }
  }

  /**
   * Lets the others take over at once. If the API server is gone, it gives up soon, and they wait for the lease to
   * expire.
   */
  async release(): Promise<void> {
    const { clock, logger } = this.#ctx;
    if (!this.isLeader || this.#observed === undefined) return;
    const now = formatMicroTime(clock.now());
    const spec: LeaseSpec = {
      ...this.#observed.spec,
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
    };
    try {
      const update = ({ signal }: TimeLimit): Promise<Lease> =>
        this.#leases.update({ ...(this.#observed as Lease), spec }, { signal });
      this.#observe(
        await withTimeout({ clock, ms: this.#options.retryPeriodMs, what: 'release of the lease' }, update),
      );
    } catch (error) {
      logger.error(error, 'Failed to release lease', { lock: this.lock });
    }
  }

  /** One try to get or keep the lease. */
  async #attempt(signal: AbortSignal, timeoutMs = this.#options.renewDeadlineMs): Promise<boolean> {
    const { clock, logger } = this.#ctx;
    try {
      return await withTimeout({ clock, ms: timeoutMs, signal, what: 'leader election' }, (limit) =>
        this.#acquireOrRenew(limit.signal),
      );
    } catch (error) {
      if (!signal.aborted) logger.error(error, 'Failed to acquire or renew lease', { lock: this.lock });
      return false;
    } finally {
      this.#reportLeader();
    }
  }

  /** Only the server gives the lease away; a holder that it prefers another to stops renewing, and so stops leading. */
  async #renewCoordinated(signal: AbortSignal): Promise<boolean> {
    const { namespace, name } = this.#options;
    let current: Lease;
    try {
      current = await this.#leases.get({ namespace, name }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
    this.#observe(current);
    const seconds = current.spec?.leaseDurationSeconds ?? 0;
    const expired = this.#ctx.clock.monotonic() - this.#observedAt > seconds * 1000;
    if (expired || !this.isLeader || current.spec?.preferredHolder) return false;
    this.#observe(await this.#leases.update(this.#claimed(current), { signal }));
    return true;
  }

  async #acquireOrRenew(signal: AbortSignal): Promise<boolean> {
    if (this.#options.coordinated) return this.#renewCoordinated(signal);
    if (this.isLeader && this.#observed !== undefined && !this.#expired()) {
      try {
        this.#observe(await this.#leases.update(this.#claimed(this.#observed), { signal }));
        return true;
      } catch (error) {
        /** The lease has changed or is gone: read it before deciding anything. */
        this.#ctx.logger.v(2).info('Failed to update lease optimistically', { lock: this.lock, err: error });
        signal.throwIfAborted();
      }
    }
    const { namespace, name } = this.#options;
    let current: Lease;
    try {
      current = await this.#leases.get({ namespace, name }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#observe(await this.#leases.create(this.#claimed({ metadata: { namespace, name } }), { signal }));
      return true;
    }
    this.#observe(current);
    const heldByAnother = this.leader !== '' && !this.isLeader;
    if (heldByAnother && !this.#expired()) return false;
    this.#observe(await this.#leases.update(this.#claimed(current), { signal }));
    return true;
  }

  /** The lease with this candidate as its holder. */
  #claimed(lease: Lease): Lease {
    const now = formatMicroTime(this.#ctx.clock.now());
    const { identity, leaseDurationMs } = this.#options;
    const before = lease.spec;
    const ours = before?.holderIdentity === identity;
    const transitions =
      before === undefined || ours ? (before?.leaseTransitions ?? 0) : (before.leaseTransitions ?? 0) + 1;
    return {
      ...lease,
      spec: {
        ...before,
        holderIdentity: identity,
        leaseDurationSeconds: Math.floor(leaseDurationMs / 1000),
        acquireTime: ours ? before.acquireTime : now,
        renewTime: now,
        leaseTransitions: transitions,
      },
    };
  }

  #observe(lease: Lease): void {
    const before = this.#observed?.spec;
    const changed =
      before?.holderIdentity !== lease.spec?.holderIdentity || before?.renewTime !== lease.spec?.renewTime;
    if (changed || this.#observed === undefined) this.#observedAt = this.#ctx.clock.monotonic();
    this.#observed = lease;
  }

  #expired(): boolean {
    return this.#ctx.clock.monotonic() - this.#observedAt >= this.#options.leaseDurationMs;
  }

  /** How long ago the lease expired, as far as this candidate has seen it; negative while it is valid. */
  get millisecondsSinceExpiry(): number {
    return this.#ctx.clock.monotonic() - this.#observedAt - this.#options.leaseDurationMs;
  }

  /** How long until another holder's lease expires; `otherwise` when there is none or it has expired. */
  #untilExpiry(otherwise: number): number {
    if (this.leader === '' || this.isLeader) return otherwise;
    const remaining = this.#observedAt + this.#options.leaseDurationMs - this.#ctx.clock.monotonic();
    return remaining > 0 ? remaining : otherwise;
  }

  #reportLeader(): void {
    if (this.leader === this.#reportedLeader) return;
    this.#reportedLeader = this.leader;
    if (this.leader !== '') this.#options.onNewLeader?.(this.leader);
  }
}
