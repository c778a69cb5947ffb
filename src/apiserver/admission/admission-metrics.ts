/** How long admission takes and what it refuses, under upstream's names. */
import type { Context } from '../../kernel/index.ts';
import type { Operation } from './admission.ts';

export type AdmissionStep = 'admit' | 'validate';

/** The measure of one plugin in one step of one operation, or of the whole step. */
export interface AdmissionTiming {
  /** Both return the time, from which the next may count. */
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

  /** `name`: the plugin, or nothing for the whole step. To be asked for once, and used for every request. */
  timing(name: string, type: AdmissionStep, operation: Operation): AdmissionTiming {
    const observer = (rejected: boolean): ((since: number) => number) => {
      const labels = { operation, rejected: String(rejected), type };
      // A series appears with the first that it counts.
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
