/** Adds NoExecute taints to nodes that are not ready, with the eviction rate of their zone. */
import type { Node } from '../../api/generated/core-v1.ts';
import type { Counter, Gauge } from '../../kernel/index.ts';
import type { ControllerContext } from '../controller.ts';
import { hasTaint, NOT_READY, readyCondition, setNoExecute, UNREACHABLE } from './taints.ts';
import { EvictionLimits, zoneOf, zoneState, type ZoneState } from './zones.ts';

interface ZoneEvictionOptions {
  /** Called when nodes report again after a full disruption, so that each gets a new grace period. */
  restartGracePeriods(): void;
}

export class ZoneEvictions {
  readonly #context: ControllerContext;
  readonly #options: ZoneEvictionOptions;
  readonly #limits: EvictionLimits;
  readonly #size: Gauge<'zone'>;
  readonly #healthy: Gauge<'zone'>;
  readonly #unhealthy: Gauge<'zone'>;
  readonly #evicted: Counter<'zone'>;
  readonly #knownZones = new Set<string>();
  /** Whether no zone had a ready node at the last check. */
  #allDisrupted = false;
  /** The nodes of the last check when all were ready: as long as these objects are current, nothing follows from them. */
  #ready: readonly Node[] | undefined;

  constructor(context: ControllerContext, options: ZoneEvictionOptions) {
    this.#context = context;
    this.#options = options;
    this.#limits = new EvictionLimits(context.clock, context.config.nodeEviction);
    const zoned = (name: string, help: string) => ({ name: `node_collector_${name}`, help, labels: ['zone'] as const });
    this.#size = context.metrics.gauge(zoned('zone_size', 'Nodes of a zone.'));
    this.#healthy = context.metrics.gauge(zoned('zone_health', 'The percentage of nodes of a zone that are ready.'));
    this.#unhealthy = context.metrics.gauge(zoned('unhealthy_nodes_in_zone', 'Nodes of a zone that are not ready.'));
    this.#evicted = context.metrics.counter(zoned('evictions_total', 'Nodes whose pods were evicted.'));
  }

  async evict(nodes: readonly Node[]): Promise<void> {
    const known = this.#ready;
    if (known?.length === nodes.length && nodes.every((node, i) => node === known[i])) return;
    const { config, logger } = this.#context;
    const zones = byZone(nodes);
    const states = new Map<string, ZoneState>();
    for (const [zone, members] of zones) states.set(zone, zoneState(members, config.nodeEviction));
    this.#measure(zones);
    const allDisrupted = nodes.length > 0 && [...states.values()].every((state) => state === 'FullDisruption');
    if (allDisrupted) {
      if (!this.#allDisrupted) logger.info('No node is ready, evictions are paused');
      for (const node of nodes) await setNoExecute(this.#context, node, undefined);
    } else {
      if (this.#allDisrupted) this.#options.restartGracePeriods();
      for (const [zone, members] of zones) await this.#evictZone(zone, members, states.get(zone) ?? 'Normal');
    }
    this.#allDisrupted = allDisrupted;
    this.#ready = nodes.every((node) => readyCondition(node)?.status === 'True') ? [...nodes] : undefined;
  }

  async #evictZone(zone: string, members: readonly Node[], state: ZoneState): Promise<void> {
    for (const node of members) {
      const status = readyCondition(node)?.status;
      if (status === undefined || status === 'True') continue;
      const [wanted, other] = status === 'False' ? [NOT_READY, UNREACHABLE] : [UNREACHABLE, NOT_READY];
      if (hasTaint(node, wanted, 'NoExecute')) continue;
      // A node with the other NoExecute taint is being evicted already, so the rate limit does not apply.
      const mayTaint = hasTaint(node, other, 'NoExecute') || this.#limits.tryTake(zone, state, members.length);
      if (!mayTaint) continue;
      await setNoExecute(this.#context, node, wanted);
      this.#evicted.inc({ zone });
    }
  }

  #measure(zones: ReadonlyMap<string, readonly Node[]>): void {
    for (const zone of this.#knownZones) {
      if (zones.has(zone)) continue;
      this.#size.set(0, { zone });
      this.#healthy.set(100, { zone });
      this.#unhealthy.set(0, { zone });
    }
    for (const [zone, members] of zones) {
      const ready = members.filter((node) => readyCondition(node)?.status === 'True').length;
      this.#knownZones.add(zone);
      this.#size.set(members.length, { zone });
      this.#healthy.set((100 * ready) / members.length, { zone });
      this.#unhealthy.set(members.length - ready, { zone });
      this.#evicted.inc({ zone }, 0);
    }
  }
}

function byZone(nodes: readonly Node[]): Map<string, Node[]> {
  const zones = new Map<string, Node[]>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    const members = zones.get(zone);
    if (members) members.push(node);
    else zones.set(zone, [node]);
  }
  return zones;
}
