/** How long admission takes and what it refuses, under upstream's names. */
import type { Context } from '../../kernel/index.ts';
import type { Operation } from './admission.ts';

export type AdmissionStep = 'admit' | 'validate';

type Observe = (seconds: number) => void;

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

export class AdmissionMetrics {
  readonly #plugins;
  readonly #steps;
  /** By plugin (or nothing for a whole step), step, operation and outcome: looked up once, used by every request. */
  readonly #known = new Map<string, Observe>();

  constructor(private readonly ctx: Pick<Context, 'clock' | 'metrics'>) {
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
    return this.ctx.clock.monotonic();
  }

  /** `name`: the plugin, or nothing for the whole step. Returns the time, from which the next may count. */
  observe(name: string, type: AdmissionStep, operation: Operation, outcome: { readonly since: number; readonly rejected: boolean }): number {
    const now = this.ctx.clock.monotonic();
    const { since, rejected } = outcome;
    const key = `${name} ${type} ${operation} ${rejected}`;
    let observe = this.#known.get(key);
    if (!observe) {
      const labels = { operation, rejected: String(rejected), type };
      const child = name === '' ? this.#steps.child(labels) : this.#plugins.child({ ...labels, name });
      observe = (seconds) => child.observe(seconds);
      this.#known.set(key, observe);
    }
    observe((now - since) / 1000);
    return now;
  }
}
