/**
 * Heartbeats of simulated nodes: renews their Leases, and reports their node status every five minutes. One timer
 * serves all nodes, through a heap by due time. Renewals are spread evenly over the interval, and those that are due
 * within a second are sent together, so that they share a commit of the store.
 */
import type { Lease } from '../api/generated/coordination-v1.ts';
import { formatMicroTime } from '../base/index.ts';
import { isConflict, isNotFound, type Client } from '../client/index.ts';
import { Heap, type Clock, type Logger, type Timer } from '../kernel/index.ts';
import { nodeConditions } from './node-object.ts';

const NAMESPACE = 'kube-node-lease';
/** Kubelets renew every 10 s. Simulated ones do half as often, which a Lease of 40 s allows: at rest it is most of what they do. */
const LEASE_SECONDS = 40;
const RENEW_INTERVAL_MS = 20_000;
/**
 * With many nodes the interval grows, so that renewals stay at this rate; not beyond half of the 50 s after which the
 * node lifecycle controller calls a node unhealthy.
 */
const RENEWALS_PER_SECOND = 8;
const MAX_RENEW_INTERVAL_MS = 25_000;
const STATUS_INTERVAL_MS = 300_000;
const MAX_CONCURRENT_RENEWALS = 64;
const BATCH_INTERVAL_MS = 1000;
/** The fractions of its multiples spread evenly over [0, 1), however many there are. */
const GOLDEN_RATIO = 0.618033988749895;

export interface NodeHeartbeat {
  /** Authenticates as the node's kubelet. */
  readonly client: Client;
  readonly name: string;
  readonly uid: string;
  /** When the node's conditions last changed. */
  readonly since: number;
  lease: Lease | undefined;
  /** A silent node skips its renewals. */
  silent: boolean;
  reportedAt: number;
}

export class Heartbeats {
  readonly #queue = new Heap<{ node: NodeHeartbeat; due: number }>((a, b) => a.due < b.due);
  readonly #nodes = new Set<NodeHeartbeat>();
  #timer: Timer | undefined;
  #timerAt = 0;
  #isRenewing = false;
  #stopped = false;
  #renewing: Promise<void> = Promise.resolve();

  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Renews the Lease at once, because a new node without one soon counts as unhealthy; a failed renewal is tried again. */
  async add(node: NodeHeartbeat): Promise<void> {
    const spread = (this.#nodes.size * GOLDEN_RATIO) % 1;
    node.reportedAt -= spread * STATUS_INTERVAL_MS;
    this.#nodes.add(node);
    await this.#renew(node).catch((error: unknown) => this.#failed(node, error));
    this.#enqueue(node, this.#clock.monotonic() - spread * this.#interval());
  }

  remove(node: NodeHeartbeat): void {
    this.#nodes.delete(node);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#renewing;
  }

  #interval(): number {
    return Math.min(
      MAX_RENEW_INTERVAL_MS,
      Math.max(RENEW_INTERVAL_MS, (this.#nodes.size * 1000) / RENEWALS_PER_SECOND),
    );
  }

  /** The interval counts from the last due time, so that a slow API server does not delay renewals further. */
  #enqueue(node: NodeHeartbeat, from: number): void {
    this.#queue.push({ node, due: Math.max(from + this.#interval(), this.#clock.monotonic()) });
    this.#arm();
  }

  #arm(): void {
    const first = this.#queue.peek();
    if (first === undefined || this.#isRenewing || this.#stopped) return;
    const at = Math.max(first.due, this.#clock.monotonic() + BATCH_INTERVAL_MS);
    if (this.#timer !== undefined && this.#timerAt <= at) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#clock.after(at - this.#clock.monotonic(), () => {
      this.#timer = undefined;
      this.#isRenewing = true;
      this.#renewing = this.#renewDue().finally(() => {
        this.#isRenewing = false;
        this.#arm();
      });
    });
  }

  async #renewDue(): Promise<void> {
    const due = this.#takeDue();
    const pending = due.values();
    const worker = async (): Promise<void> => {
      for (const { node, due: at } of pending) if (!this.#stopped) await this.#renewOne(node, at);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_RENEWALS, due.length) }, worker));
  }

  #takeDue(): { node: NodeHeartbeat; due: number }[] {
    const now = this.#clock.monotonic();
    const due: { node: NodeHeartbeat; due: number }[] = [];
    for (let next = this.#queue.peek(); next !== undefined && next.due <= now; next = this.#queue.peek()) {
      this.#queue.pop();
      if (this.#nodes.has(next.node)) due.push(next);
    }
    return due;
  }

  async #renewOne(node: NodeHeartbeat, due: number): Promise<void> {
    try {
      if (!node.silent) {
        await this.#renew(node);
        if (this.#clock.monotonic() - node.reportedAt >= STATUS_INTERVAL_MS) await this.#report(node);
      }
    } catch (error) {
      this.#failed(node, error);
    } finally {
      this.#enqueue(node, due);
    }
  }

  #failed(node: NodeHeartbeat, error: unknown): void {
    node.lease = undefined;
    if (!this.#stopped)
      this.#logger.v(1).info('Failed to update node lease, will retry', { node: node.name, err: error });
  }

  async #renew(node: NodeHeartbeat): Promise<void> {
    const leases = node.client.resource('coordination.k8s.io/v1/leases');
    const spec = {
      holderIdentity: node.name,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: formatMicroTime(this.#clock.now()),
    };
    if (node.lease !== undefined) {
      try {
        node.lease = await leases.update({ ...node.lease, spec });
        return;
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    const metadata = {
      namespace: NAMESPACE,
      name: node.name,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid }],
    };
    try {
      const known = await leases.get({ namespace: NAMESPACE, name: node.name });
      node.lease = await leases.update({ ...known, spec });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      node.lease = await leases.create({ metadata, spec });
    }
  }

  async #report(node: NodeHeartbeat): Promise<void> {
    const now = this.#clock.now();
    await node.client
      .resource('v1/nodes')
      .patch(
        { name: node.name },
        { status: { conditions: nodeConditions(now, node.since) } },
        { type: 'strategic', subresource: 'status' },
      );
    node.reportedAt = this.#clock.monotonic();
  }
}
