/** Monitors the health of nodes every period, and sets the conditions of nodes that stopped reporting to Unknown. */
import type { Lease } from '../../api/generated/coordination-v1.ts';
import type { Node } from '../../api/generated/core-v1.ts';
import { isConflict, isNotFound, type SharedInformer } from '../../client/index.ts';
import { exponentialBuckets, type Histogram } from '../../kernel/index.ts';
import type { ControllerContext } from '../controller.ts';
import { recordNodeEvent } from './node-events.ts';
import { heartbeatOf, withUnknownConditions, type NodeHealth } from './node-health.ts';
import { readyCondition } from './taints.ts';
import { ZoneEvictions } from './zone-evictions.ts';

interface MonitorParts {
  readonly nodes: SharedInformer<Node>;
  /** Of the namespace kube-node-lease. */
  readonly leases: SharedInformer<Lease>;
}

export class NodeMonitor {
  readonly #context: ControllerContext;
  readonly #parts: MonitorParts;
  readonly #health = new Map<string, NodeHealth>();
  readonly #evictions: ZoneEvictions;
  readonly #checkSeconds: Histogram;
  readonly #nodeSeconds: Histogram;

  constructor(context: ControllerContext, parts: MonitorParts) {
    this.#context = context;
    this.#parts = parts;
    this.#evictions = new ZoneEvictions(context, { restartGracePeriods: () => this.#restartGracePeriods() });
    this.#checkSeconds = context.metrics.histogram({
      name: 'node_collector_update_all_nodes_health_duration_seconds',
      help: 'Duration of a check of all nodes.',
      buckets: exponentialBuckets(0.01, 4, 8),
    });
    this.#nodeSeconds = context.metrics.histogram({
      name: 'node_collector_update_node_health_duration_seconds',
      help: 'Duration of the check of one node.',
      buckets: exponentialBuckets(0.001, 4, 8),
    });
  }

  async check(): Promise<void> {
    const { clock } = this.#context;
    const started = clock.monotonic();
    try {
      await this.#checkAll();
    } finally {
      this.#checkSeconds.observe((clock.monotonic() - started) / 1000);
    }
  }

  async #checkAll(): Promise<void> {
    const { clock } = this.#context;
    const { nodes } = this.#parts;
    const all = nodes.list();
    for (const node of all) {
      const started = clock.monotonic();
      if (!this.#hasReported(node)) await this.#markUnknown(node);
      this.#nodeSeconds.observe((clock.monotonic() - started) / 1000);
    }
    for (const name of this.#health.keys()) {
      if (nodes.get(name)) continue;
      this.#health.delete(name);
      const message = `Removing Node ${name} from Controller`;
      recordNodeEvent(this.#context.recorder, { name }, 'Normal', 'RemovingNode', message);
    }
    await this.#evictions.evict(all);
  }

  /** Whether the node has reported within its grace period. */
  #hasReported(node: Node): boolean {
    const { clock, recorder } = this.#context;
    const { name = '' } = node.metadata;
    const lease = this.#parts.leases.get(`kube-node-lease/${name}`);
    const known = this.#health.get(name);
    if (!known) {
      const message = `Registered Node ${name} in Controller`;
      recordNodeEvent(recorder, node.metadata, 'Normal', 'RegisteredNode', message);
      const graceMs = this.#graceMs(node);
      this.#health.set(name, { probeAt: clock.monotonic(), graceMs, heartbeat: heartbeatOf(node, lease), node, lease });
      return true;
    }
    // Cached objects are immutable: the same objects have the same heartbeat.
    if (known.node !== node || known.lease !== lease) {
      const heartbeat = heartbeatOf(node, lease);
      if (known.heartbeat !== heartbeat) known.probeAt = clock.monotonic();
      if (known.node !== node) known.graceMs = this.#graceMs(node);
      Object.assign(known, { heartbeat, node, lease });
    }
    return clock.monotonic() <= known.probeAt + known.graceMs;
  }

  #graceMs(node: Node): number {
    const { nodeMonitorGracePeriodSeconds, nodeStartupGracePeriodSeconds } = this.#context.config;
    return 1000 * (readyCondition(node) ? nodeMonitorGracePeriodSeconds : nodeStartupGracePeriodSeconds);
  }

  async #markUnknown(node: Node): Promise<void> {
    const { client, clock, recorder, signal } = this.#context;
    const { name = '' } = node.metadata;
    const unknown = withUnknownConditions(node, clock.now());
    if (!unknown) return;
    try {
      const updated = await client.resource('v1/nodes').updateStatus(unknown, { signal });
      // The controller's own write is not a heartbeat.
      const known = this.#health.get(name);
      if (known) known.heartbeat = heartbeatOf(updated, known.lease);
      if (readyCondition(node)?.status !== 'True') return;
      const message = `Node ${name} status is now: NodeNotReady`;
      recordNodeEvent(recorder, node.metadata, 'Normal', 'NodeNotReady', message, { bare: true });
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  #restartGracePeriods(): void {
    for (const known of this.#health.values()) known.probeAt = this.#context.clock.monotonic();
  }
}
