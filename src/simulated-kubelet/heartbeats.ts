/**
 * The leases by which nodes show that they live, and their statuses from time to time. One timer serves all nodes: they
 * stand in line in the order in which they are due. Nodes that came together are spread evenly over their interval, and
 * those of one second are renewed at once, so that they share a commit of the store.
 */
import type { Lease } from '../api/generated/coordination-v1.ts';
import { formatMicroTime } from '../base/index.ts';
import { isConflict, isNotFound, type Client } from '../client/index.ts';
import { Heap, type Clock, type Logger, type Timer } from '../kernel/index.ts';
import { nodeConditions } from './node-object.ts';

const NAMESPACE = 'kube-node-lease';
/** A kubelet's own figures. */
const LEASE_SECONDS = 40;
const RENEW_MS = 10_000;
/** With many nodes, renewals become rarer rather than more, as far as the node lifecycle's grace period of 50 s allows without doubt. */
const RENEWALS_PER_SECOND = 8;
const LONGEST_RENEW_MS = 25_000;
const STATUS_MS = 300_000;
const AT_ONCE = 64;
const TURN_MS = 1000;
/** Multiples of it fall evenly between whole numbers, however many there are. */
const GOLDEN_RATIO = 0.618033988749895;

export interface Heart {
  /** As the node's kubelet. */
  readonly client: Client;
  readonly name: string;
  readonly uid: string;
  /** When its conditions last changed. */
  readonly since: number;
  lease: Lease | undefined;
  /** Silent nodes keep their place and say nothing. */
  silent: boolean;
  reportedAt: number;
}

export class Heartbeats {
  readonly #line = new Heap<{ heart: Heart; due: number }>((a, b) => a.due < b.due);
  readonly #hearts = new Set<Heart>();
  #timer: Timer | undefined;
  #timerAt = 0;
  #isBeating = false;
  #stopped = false;
  #beating: Promise<void> = Promise.resolve();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** The first renewal is made at once; the node is not healthy without it for long. */
  async add(heart: Heart): Promise<void> {
    const spread = (this.#hearts.size * GOLDEN_RATIO) % 1;
    heart.reportedAt -= spread * STATUS_MS;
    this.#hearts.add(heart);
    await this.#renew(heart);
    this.#enqueue(heart, this.clock.monotonic() - spread * this.#interval());
  }

  remove(heart: Heart): void {
    this.#hearts.delete(heart);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#beating;
  }

  #interval(): number {
    return Math.min(LONGEST_RENEW_MS, Math.max(RENEW_MS, (this.#hearts.size * 1000) / RENEWALS_PER_SECOND));
  }

  /** Counted from when the last one was due: a server that is slow must not make renewals rarer. */
  #enqueue(heart: Heart, from: number): void {
    this.#line.push({ heart, due: Math.max(from + this.#interval(), this.clock.monotonic()) });
    this.#arm();
  }

  #arm(): void {
    const first = this.#line.peek();
    if (first === undefined || this.#isBeating || this.#stopped) return;
    const at = Math.max(first.due, this.clock.monotonic() + TURN_MS);
    if (this.#timer !== undefined && this.#timerAt <= at) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.clock.after(at - this.clock.monotonic(), () => {
      this.#timer = undefined;
      this.#isBeating = true;
      this.#beating = this.#beat().finally(() => {
        this.#isBeating = false;
        this.#arm();
      });
    });
  }

  async #beat(): Promise<void> {
    const due = this.#takeDue();
    const line = due.values();
    const beatSome = async (): Promise<void> => {
      for (const { heart, due: at } of line) if (!this.#stopped) await this.#beatOne(heart, at);
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, due.length) }, beatSome));
  }

  #takeDue(): { heart: Heart; due: number }[] {
    const now = this.clock.monotonic();
    const due: { heart: Heart; due: number }[] = [];
    for (let next = this.#line.peek(); next !== undefined && next.due <= now; next = this.#line.peek()) {
      this.#line.pop();
      if (this.#hearts.has(next.heart)) due.push(next);
    }
    return due;
  }

  async #beatOne(heart: Heart, due: number): Promise<void> {
    try {
      if (!heart.silent) {
        await this.#renew(heart);
        if (this.clock.monotonic() - heart.reportedAt >= STATUS_MS) await this.#report(heart);
      }
    } catch (error) {
      heart.lease = undefined;
      if (!this.#stopped)
        this.logger.v(1).info('A heartbeat failed; the next one follows', { node: heart.name, err: error });
    } finally {
      this.#enqueue(heart, due);
    }
  }

  async #renew(heart: Heart): Promise<void> {
    const leases = heart.client.resource('coordination.k8s.io/v1/leases');
    const spec = {
      holderIdentity: heart.name,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: formatMicroTime(this.clock.now()),
    };
    if (heart.lease !== undefined) {
      try {
        heart.lease = await leases.update({ ...heart.lease, spec });
        return;
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    const metadata = {
      namespace: NAMESPACE,
      name: heart.name,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: heart.name, uid: heart.uid }],
    };
    try {
      const known = await leases.get({ namespace: NAMESPACE, name: heart.name });
      heart.lease = await leases.update({ ...known, spec });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      heart.lease = await leases.create({ metadata, spec });
    }
  }

  async #report(heart: Heart): Promise<void> {
    const now = this.clock.now();
    await heart.client
      .resource('v1/nodes')
      .patch(
        { name: heart.name },
        { status: { conditions: nodeConditions(now, heart.since) } },
        { type: 'strategic', subresource: 'status' },
      );
    heart.reportedAt = this.clock.monotonic();
  }
}
