/** Metrics of admission: how long each plugin and each step takes, and how often it rejects, under upstream's names. */
import type { Context } from '../../kernel/index.ts';
export type AdmissionStep = 'admit' | 'validate';

/** Times one plugin, or a whole step, for one operation. */
export interface AdmissionTiming {
  /** Both return the current time: the next plugin starts then. */
  passed(since: number): number;
  rejected(since: number): number;
}

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

export class AdmissionMetrics {
  readonly #plugins;
  readonly #steps;
  readonly #ctx: Pick<Context, 'clock' | 'metrics'>;

  constructor(ctx: Pick<Context, 'clock' | 'metrics'>) {
    this.#ctx = ctx;
    this.#plugins = ctx.metrics.histogram({
      name: 'apiserver_admission_controller_admission_duration_seconds',
      help: 'How long each admission plugin took, by operation, step and outcome.',
      labels: ['name', 'operation', 'rejected', 'type'],
      buckets: BUCKETS,
    });
    this.#steps = ctx.metrics.histogram({
      name: 'apiserver_admission_step_admission_duration_seconds',
      help: 'How long all plugins of a step took together, by operation and outcome.',
      labels: ['operation', 'rejected', 'type'],
      buckets: BUCKETS,
    });
  }

  now(): number {
    return this.#ctx.clock.monotonic();
  }

  /** `name` is the plugin, or empty for the whole step. Create a timing once and use it for every request. */
  timing(name: string, type: AdmissionStep, operation: string): AdmissionTiming {
    const observer = (rejected: boolean): ((since: number) => number) => {
      const labels = { operation, rejected: String(rejected), type };
      // The series must not appear before its first observation.
      let child: { observe(seconds: number): void } | undefined;
      return (since) => {
        const now = this.#ctx.clock.monotonic();
        child ??= name === '' ? this.#steps.child(labels) : this.#plugins.child({ ...labels, name });
        child.observe((now - since) / 1000);
        return now;
      };
    };
    return { passed: observer(false), rejected: observer(true) };
  }
}
