/**
 * Syncs the proxy rules with Services and EndpointSlices. Changes are collected by Service and one sync writes them
 * all. After a failed write the next sync replaces all rules.
 */
import type { Service } from '../api/generated/core-v1.ts';
import type { EndpointSlice } from '../api/generated/discovery-v1.ts';
import { type NodeTopology, type ServicePlan, planService, serviceOfSlice } from '../component-helpers/index.ts';
import { deliveredCauses, mergeCauses, type Cause, type Context, type Span } from '../kernel/index.ts';
import { removedTcpEndpoints, staleConnections, type Conntrack } from './conntrack.ts';
import type { ProxyMetrics } from './metrics.ts';
import type { RuleWriter } from './rule-writer.ts';

interface SyncOptions {
  readonly writer: RuleWriter;
  readonly conntrack: Conntrack;
  readonly metrics: ProxyMetrics;
  readonly minSyncPeriodMs: number;
  readonly syncPeriodMs: number;
  /** Called after every successful sync; the next one waits for it. */
  readonly onSynced: (plans: ReadonlyMap<string, readonly ServicePlan[]>) => Promise<void>;
}

const RETRY_MS = 1000;
/** Services that a span names. */
const MAX_NAMED = 3;

export class RuleSync {
  readonly #services = new Map<string, Service>();
  readonly #slices = new Map<string, Map<string, EndpointSlice>>();
  readonly #plans = new Map<string, readonly ServicePlan[]>();
  /** With the writes that changed them. */
  readonly #changed = new Map<string, readonly Cause[]>();
  #fullSync = true;
  #node: NodeTopology;
  #serviceCidrs = '';
  #wake: (() => void) | undefined;

  readonly #ctx: Context;
  readonly #options: SyncOptions;

  constructor(ctx: Context, options: SyncOptions, node: NodeTopology) {
    this.#ctx = ctx;
    this.#options = options;
    this.#node = node;
  }

  setNode(node: NodeTopology): void {
    if (node.zone === this.#node.zone) return;
    this.#node = node;
    for (const service of this.#services.keys()) this.#changed.set(service, []);
    this.#wake?.();
  }

  setServiceCidrs(cidrs: readonly string[]): void {
    if (cidrs.join() === this.#serviceCidrs) return;
    this.#serviceCidrs = cidrs.join();
    this.#options.writer.setServiceCidrs?.(cidrs);
    this.#fullSync = true;
    this.#wake?.();
  }

  setService(service: Service): void {
    const key = `${service.metadata.namespace}/${service.metadata.name}`;
    this.#services.set(key, service);
    this.#change(key);
  }

  deleteService({ metadata }: Service): void {
    const key = `${metadata.namespace}/${metadata.name}`;
    this.#services.delete(key);
    this.#change(key);
  }

  setSlice(slice: EndpointSlice): void {
    const service = serviceOfSlice(slice);
    if (service === undefined) return;
    const slices = this.#slices.get(service) ?? new Map<string, EndpointSlice>();
    this.#slices.set(service, slices.set(slice.metadata.name!, slice));
    this.#change(service);
  }

  deleteSlice(slice: EndpointSlice): void {
    const service = serviceOfSlice(slice);
    if (service === undefined) return;
    const slices = this.#slices.get(service);
    if (!slices?.delete(slice.metadata.name!)) return;
    if (slices.size === 0) this.#slices.delete(service);
    this.#change(service);
  }

  #change(service: string): void {
    this.#changed.set(service, mergeCauses(this.#changed.get(service), deliveredCauses()));
    this.#wake?.();
  }

  /** Writes all rules, then every change, until the signal aborts. The rules stay in the kernel. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ctx;
    const resync = clock.every(this.#options.syncPeriodMs, () => {
      this.#fullSync = true;
      this.#wake?.();
    });
    try {
      while (!signal.aborted) {
        if (!this.#fullSync && this.#changed.size === 0) await this.#untilWoken(signal);
        if (signal.aborted) return;
        const done = await this.#sync();
        await clock.sleep(done ? this.#options.minSyncPeriodMs : RETRY_MS, signal).catch(() => {});
      }
    } finally {
      resync.cancel();
    }
  }

  async #sync(): Promise<boolean> {
    const { writer, conntrack, metrics } = this.#options;
    const start = this.#ctx.clock.monotonic();
    const fullSync = this.#fullSync;
    const changed = new Map<string, readonly ServicePlan[]>();
    const stale: string[][] = [];
    const removed = new Set<string>();
    let causes: readonly Cause[] = [];
    for (const [key, changes] of this.#changed) {
      const service = this.#services.get(key);
      const plans = service ? planService(service, [...(this.#slices.get(key)?.values() ?? [])], this.#node) : [];
      const before = this.#plans.get(key) ?? [];
      // Most updates of a Service or its slices change no rule.
      if (!fullSync && JSON.stringify(before) === JSON.stringify(plans)) continue;
      stale.push(...staleConnections(before, plans));
      for (const endpoint of removedTcpEndpoints(before, plans)) removed.add(endpoint);
      changed.set(key, plans);
      causes = mergeCauses(causes, changes);
      if (plans.length > 0) this.#plans.set(key, plans);
      else this.#plans.delete(key);
    }
    this.#changed.clear();
    this.#fullSync = false;
    if (!fullSync && changed.size === 0) return true;
    const span = this.#startSpan([...changed.keys()], causes);
    try {
      if (fullSync) await writer.replaceAll(this.#plans);
      else await writer.update(changed, this.#plans);
      await conntrack.deleteEntries(stale);
      await conntrack.deleteHalfOpen(removed);
      if (span) this.#ctx.tracer.end(span);
    } catch (error) {
      if (span) this.#ctx.tracer.end(span, error);
      this.#fullSync = true;
      metrics.failures.inc();
      this.#ctx.logger.error(error, 'Failed to write proxy rules; retrying with a full sync', {
        retryMs: RETRY_MS,
      });
      return false;
    }
    metrics.syncDuration.observe((this.#ctx.clock.monotonic() - start) / 1000);
    metrics.lastSync.set(this.#ctx.clock.now() / 1000);
    await this.#options.onSynced(this.#plans);
    return true;
  }

  /** What made the rules change; a sync that nothing caused is not recorded. */
  #startSpan(services: readonly string[], causes: readonly Cause[]): Span | undefined {
    const { tracer } = this.#ctx;
    if (!tracer.enabled || causes.length === 0) return undefined;
    const more = services.length > MAX_NAMED ? ` and ${services.length - MAX_NAMED} more` : '';
    const key = services.slice(0, MAX_NAMED).join(', ') + more;
    return tracer.start('write proxy rules', {
      causes,
      attributes: { 'k8s.key': key, 'k8s.node.name': this.#node.name },
    });
  }

  #untilWoken(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wake = undefined;
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
