/** Metrics of impersonation, under upstream's names. */
import { whenDone } from '../../base/index.ts';
import { exponentialBuckets, type Context } from '../../kernel/index.ts';
import type { AuthorizationAttributes, Authorizer, Decision } from '../authz/authorizer.ts';

const BUCKETS = exponentialBuckets(0.001, 2, 15);

export class ImpersonationMetrics {
  readonly #ctx: Pick<Context, 'clock' | 'metrics'>;
  readonly #attempts;
  readonly #authorizations;

  constructor(ctx: Pick<Context, 'clock' | 'metrics'>) {
    this.#ctx = ctx;
    this.#attempts = this.#instruments('attempts', 'impersonation attempts');
    this.#authorizations = this.#instruments('authorization_attempts', 'authorization checks of impersonation');
  }

  now(): number {
    return this.#ctx.clock.monotonic();
  }

  /** `mode` is empty for an attempt that no mode allowed. */
  attempted(mode: string, decision: 'allowed' | 'denied', startedAt: number): void {
    this.#attempts(mode, decision, startedAt);
  }

  /** The authorizer with its decisions counted. */
  counting(authorizer: Authorizer): Authorizer {
    return {
      name: authorizer.name,
      authorize: (attributes: AuthorizationAttributes) => {
        const startedAt = this.now();
        return whenDone(authorizer.authorize(attributes), (decision: Decision) => {
          const label = decision.decision === 'allow' ? 'allowed' : 'denied';
          this.#authorizations(modeOf(attributes.verb), label, startedAt);
          return decision;
        });
      },
    };
  }

  #instruments(name: string, what: string): (mode: string, decision: string, startedAt: number) => void {
    const labels = ['mode', 'decision'] as const;
    const total = this.#ctx.metrics.counter({
      name: `apiserver_impersonation_${name}_total`,
      help: `Number of ${what}, by mode and decision.`,
      labels,
    });
    const duration = this.#ctx.metrics.histogram({
      name: `apiserver_impersonation_${name}_duration_seconds`,
      help: `How long ${what} took, by mode and decision.`,
      labels,
      buckets: BUCKETS,
    });
    return (mode, decision, startedAt) => {
      total.inc({ mode, decision });
      duration.observe((this.now() - startedAt) / 1000, { mode, decision });
    };
  }
}

/** The mode that a verb of impersonation belongs to: `impersonate:user-info`, `impersonate-on:user-info:get`. */
const modeOf = (verb: string): string => verb.split(':')[1] ?? 'legacy';
