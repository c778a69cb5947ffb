/**
 * The quota evaluator charges requests to ResourceQuotas, one batch per namespace at a time. It checks each request of a
 * batch on top of the earlier ones, then writes status.used with one compare-and-set per quota. So concurrent requests
 * cannot exceed a quota, and a burst of requests costs only a few writes.
 */
import type { Context, Span } from '../../../kernel/index.ts';
import { conflict, isStatusError } from '../../../machinery/errors/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { Entry } from '../../storage/entry.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { checkRequest, type LimitedResource } from './check-request.ts';
import type { QuotaObject, QuotaUsage } from './quota-usage.ts';
import { resourceListOf, equalQuantities, quantitiesIn } from './resource-quantities.ts';

/** Retries of a batch after a conflicting write to a quota. */
const RETRIES = 3;

interface Waiter {
  readonly attributes: AdmissionAttributes;
  resolve(): void;
  reject(error: unknown): void;
}

export class QuotaEvaluator {
  #waiting = new Map<string, Waiter[]>();
  #quotas: ServedResource;
  readonly #ctx: Context;
  readonly #registry: Registry;
  readonly #limited: readonly LimitedResource[];

  constructor(ctx: Context, registry: Registry, limited: readonly LimitedResource[]) {
    this.#ctx = ctx;
    this.#registry = registry;
    this.#limited = limited;
    this.#quotas = registry.require('', 'v1', 'resourcequotas');
  }

  evaluate(attributes: AdmissionAttributes): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { attributes, resolve, reject };
      const waiting = this.#waiting.get(attributes.namespace);
      if (waiting) {
        waiting.push(waiter);
        return;
      }
      this.#waiting.set(attributes.namespace, [waiter]);
      void this.#work(attributes.namespace);
    });
  }

  /** Evaluates batches until no request waits. */
  async #work(namespace: string): Promise<void> {
    for (;;) {
      const batch = this.#waiting.get(namespace)!;
      if (batch.length === 0) break;
      this.#waiting.set(namespace, []);
      await this.#evaluateBatch(namespace, batch).catch((error: unknown) => {
        for (const waiter of batch) waiter.reject(error);
      });
    }
    this.#waiting.delete(namespace);
  }

  async #evaluateBatch(namespace: string, batch: readonly Waiter[]): Promise<void> {
    let pending = batch;
    let entries = [...this.#quotas.cache.list(namespace)];
    for (let retries = RETRIES; pending.length > 0; retries--) {
      const quotas = entries.map(quotaUsage);
      pending = this.#check(quotas, pending, retries === RETRIES ? this.#limited : []);
      const conflicted: QuotaUsage[] = [];
      for (const quota of quotas) {
        if (equalQuantities(quota.used, quota.charged)) continue;
        // One write charges all of them; it is a part of the first request.
        if (!(await this.#write(quota, pending[0]?.attributes.span))) conflicted.push(quota);
      }
      if (conflicted.length === 0) break;
      if (retries === 0)
        throw conflict(
          this.#quotas.groupResource,
          conflicted[0]!.name,
          'the object has been modified; please apply your changes to the latest version and try again',
        );
      // The other quotas are charged already. A deleted quota no longer counts.
      entries = await this.#fresh(conflicted);
    }
    for (const waiter of pending) waiter.resolve();
  }

  /** Charges each request that fits. Settles those that need no write, and returns the others. */
  #check(quotas: readonly QuotaUsage[], waiters: readonly Waiter[], limited: readonly LimitedResource[]): Waiter[] {
    const charged: Waiter[] = [];
    for (const waiter of waiters) {
      try {
        const uses = checkRequest(quotas, waiter.attributes, { limited, now: this.#ctx.clock.now() });
        if (waiter.attributes.dryRun || uses.size === 0) {
          waiter.resolve();
          continue;
        }
        for (const [quota, used] of uses) quota.charged = used;
        charged.push(waiter);
      } catch (error) {
        waiter.reject(error);
      }
    }
    return charged;
  }

  async #write({ entry, quota, charged }: QuotaUsage, span: Span | undefined): Promise<boolean> {
    const object: QuotaObject = { ...quota, status: { ...quota.status, used: resourceListOf(charged) } };
    return (
      (await this.#registry.objects.replace(
        this.#quotas,
        { namespace: entry.namespace, name: entry.name },
        entry,
        object,
        false,
        undefined,
        span,
      )) !== undefined
    );
  }

  async #fresh(quotas: readonly QuotaUsage[]): Promise<Entry[]> {
    const found: Entry[] = [];
    for (const { entry } of quotas) {
      try {
        found.push(await this.#registry.objects.fresh(this.#quotas, { namespace: entry.namespace, name: entry.name }));
      } catch (error) {
        if (!isStatusError(error, 'NotFound')) throw error;
      }
    }
    return found;
  }
}

function quotaUsage(entry: Entry): QuotaUsage {
  const quota = entry.object as QuotaObject;
  const used = quantitiesIn(quota.status?.used);
  return { name: entry.name, entry, quota, hard: quantitiesIn(quota.status?.hard), used, charged: used };
}
