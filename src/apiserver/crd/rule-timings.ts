/** How long the validation rules of custom resources take to compile and to evaluate. */
import type { SchemaRules } from '../../cel/index.ts';
import type { Clock, Context, Histogram } from '../../kernel/index.ts';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class RuleTimings {
  readonly #clock: Clock;
  readonly #compilation: Histogram;
  readonly #evaluation: Histogram;

  constructor({ clock, metrics }: Pick<Context, 'clock' | 'metrics'>) {
    this.#clock = clock;
    this.#compilation = metrics.histogram({
      name: 'apiserver_cel_compilation_duration_seconds',
      help: 'CEL compilation time in seconds.',
      buckets: BUCKETS,
    });
    this.#evaluation = metrics.histogram({
      name: 'apiserver_cel_evaluation_duration_seconds',
      help: 'CEL evaluation time in seconds.',
      buckets: BUCKETS,
    });
  }

  /** The rules that `compile` returns, with each of their evaluations measured. */
  measured(compile: () => SchemaRules | undefined): SchemaRules | undefined {
    const rules = this.#measure(this.#compilation, compile);
    return rules && { validate: (...values) => this.#measure(this.#evaluation, () => rules.validate(...values)) };
  }

  #measure<T>(histogram: Histogram, run: () => T): T {
    const since = this.#clock.monotonic();
    try {
      return run();
    } finally {
      histogram.observe((this.#clock.monotonic() - since) / 1000);
    }
  }
}
