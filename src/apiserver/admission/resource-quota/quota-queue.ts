/**
 * Charges requests to quotas, one batch a namespace at a time. A batch is checked against the quotas as the store has
 * them, each request on top of those before it, and then written with one compare-and-set per quota: so no number of
 * concurrent requests takes more than there is, and a burst of them costs a few writes.
 */
import type { ResourceQuota } from '../../../api/generated/core-v1.ts';
import type { Context } from '../../../kernel/index.ts';
import { conflict, isStatusError } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { Entry } from '../../storage/entry.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { checkRequest, type LimitedResource, type RunningQuota } from './check-request.ts';
import { resourceListOf, sameUsage, usageIn } from './usage-arithmetic.ts';

export type QuotaObject = ResourceQuota & KubeObject;

/** How often a batch is checked again because somebody else wrote a quota in the meantime. */
const RETRIES = 3;

interface Waiter {
  readonly attributes: AdmissionAttributes;
  resolve(): void;
  reject(error: unknown): void;
}

export class QuotaQueue {
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

  charge(attributes: AdmissionAttributes): Promise<void> {
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

  /** Settles batch after batch until nobody waits. */
  async #work(namespace: string): Promise<void> {
    for (;;) {
      const batch = this.#waiting.get(namespace)!;
      if (batch.length === 0) break;
      this.#waiting.set(namespace, []);
      await this.#settle(namespace, batch).catch((error: unknown) => {
        for (const waiter of batch) waiter.reject(error);
      });
    }
    this.#waiting.delete(namespace);
  }

  async #settle(namespace: string, batch: readonly Waiter[]): Promise<void> {
    let pending = batch;
    let entries = [...this.#quotas.cache.list(namespace)];
    for (let retries = RETRIES; pending.length > 0; retries--) {
      const quotas = entries.map((entry) => this.#running(entry));
      pending = this.#check(quotas, pending, retries === RETRIES ? this.#limited : []);
      const lost: RunningQuota[] = [];
      for (const quota of quotas) {
        if (!sameUsage(quota.used, quota.charged) && !(await this.#write(quota))) lost.push(quota);
      }
      if (lost.length === 0) break;
      if (retries === 0)
        throw conflict(
          this.#quotas.groupResource,
          lost[0]!.name,
          'the object has been modified; please apply your changes to the latest version and try again',
        );
      // The others have been charged; a quota that is gone no longer matters.
      entries = await this.#fresh(lost);
    }
    for (const waiter of pending) waiter.resolve();
  }

  /** Charges each request that fits; answers those that need no write, and returns the others. */
  #check(quotas: readonly RunningQuota[], waiters: readonly Waiter[], limited: readonly LimitedResource[]): Waiter[] {
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

  #running(entry: Entry): RunningQuota {
    const quota = entry.object as QuotaObject;
    const used = usageIn(quota.status?.used);
    return { name: entry.name, entry, quota, hard: usageIn(quota.status?.hard), used, charged: used };
  }

  async #write({ entry, quota, charged }: RunningQuota): Promise<boolean> {
    const object: QuotaObject = { ...quota, status: { ...quota.status, used: resourceListOf(charged) } };
    return (
      (await this.#registry.objects.replace(
        this.#quotas,
        { namespace: entry.namespace, name: entry.name },
        entry,
        object,
        false,
      )) !== undefined
    );
  }

  async #fresh(quotas: readonly RunningQuota[]): Promise<Entry[]> {
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
