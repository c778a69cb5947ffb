/** Metrics of admission policies, under upstream's names. */
import type { Context } from '../../../kernel/index.ts';

type PolicyKind = 'validating' | 'mutating';

const BUCKETS = [0.0000005, 0.001, 0.01, 0.1, 1];

interface PolicyCheck {
  readonly policy: string;
  readonly binding: string;
  /** allow, deny, audit or warn. */
  readonly action: string;
  readonly error: 'no_error' | 'invalid_error' | 'compile_error' | 'out_of_budget';
}

export class PolicyMetrics {
  readonly #checks;
  readonly #duration;
  readonly #ctx: Pick<Context, 'clock' | 'metrics'>;

  constructor(ctx: Pick<Context, 'clock' | 'metrics'>, kind: PolicyKind) {
    this.#ctx = ctx;
    const labels = ['policy', 'policy_binding', 'enforcement_action', 'error_type'] as const;
    this.#checks = ctx.metrics.counter({
      name: `apiserver_${kind}_admission_policy_check_total`,
      help: 'Evaluations of policies, by policy, binding, enforcement action and error type.',
      labels,
    });
    this.#duration = ctx.metrics.histogram({
      name: `apiserver_${kind}_admission_policy_check_duration_seconds`,
      help: 'Duration of policy evaluations, by policy, binding, enforcement action and error type.',
      labels,
      buckets: BUCKETS,
    });
  }

  now(): number {
    return this.#ctx.clock.monotonic();
  }

  checked({ policy, binding, action, error }: PolicyCheck, since: number): void {
    const labels = { policy, policy_binding: binding, enforcement_action: action, error_type: error };
    this.#checks.inc(labels);
    this.#duration.observe((this.#ctx.clock.monotonic() - since) / 1000, labels);
  }
}
