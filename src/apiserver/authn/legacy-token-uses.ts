/**
 * Uses of tokens from Secrets: counted, and noted on the Secret once a day, so that the cleaner of such tokens knows those
 * that nobody uses any more.
 */
import type { Secret, ServiceAccount } from '../../api/generated/core-v1.ts';
import type { Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Loopback } from '../request/loopback.ts';

export const LAST_USED = 'kubernetes.io/legacy-token-last-used';

export type SecretObject = Secret & KubeObject;
export type ServiceAccountObject = ServiceAccount & KubeObject;

export class LegacyTokenUses {
  readonly #writing = new Set<string>();
  readonly #automatic: { inc(): void };
  readonly #manual: { inc(): void };
  readonly #invalid: { inc(): void };
  #loopback: Loopback | undefined;
  readonly #ctx: Context;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    const counter = (name: string, help: string): { inc(): void } =>
      ctx.metrics.counter({ name: `serviceaccount_${name}_uses_total`, help });
    this.#automatic = counter('legacy_auto_token', 'Cumulative auto-generated legacy tokens used');
    this.#manual = counter('legacy_manual_token', 'Cumulative manually created legacy tokens used');
    this.#invalid = counter('invalid_legacy_auto_token', 'Cumulative invalid auto-generated legacy tokens used');
  }

  /** From now on uses are noted; before, the server cannot write yet. */
  writeThrough(loopback: Loopback): void {
    this.#loopback = loopback;
  }

  refused(): void {
    this.#invalid.inc();
  }

  used(secret: SecretObject, account: ServiceAccountObject): void {
    const wasMadeForAccount = (account.secrets ?? []).some(({ name }) => name === secret.metadata.name);
    (wasMadeForAccount ? this.#automatic : this.#manual).inc();
    const today = new Date(this.#ctx.clock.now()).toISOString().slice(0, 10);
    if (!this.#loopback || secret.metadata.labels?.[LAST_USED] === today) return;
    void this.#note(secret, today);
  }

  /** The request does not wait for it, and a use that could not be noted is noted at the next one. */
  async #note(secret: SecretObject, today: string): Promise<void> {
    const { namespace = '', name = '' } = secret.metadata;
    const target = `/api/v1/namespaces/${namespace}/secrets/${name}`;
    if (this.#writing.has(target)) return;
    this.#writing.add(target);
    try {
      await this.#loopback!('PUT', target, {
        ...secret,
        metadata: { ...secret.metadata, labels: { ...secret.metadata.labels, [LAST_USED]: today } },
      } as KubeObject);
    } catch (error) {
      if (!isStatusError(error, 'Conflict') && !isStatusError(error, 'NotFound') && !this.#ctx.signal.aborted) {
        this.#ctx.logger.error(error, 'The use of a token could not be noted on its Secret', {
          namespace,
          secret: name,
        });
      }
    } finally {
      this.#writing.delete(target);
    }
  }
}
