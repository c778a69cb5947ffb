import type { Clock } from '../../kernel/index.ts';
import { byTwoLabels, type SchedulerMetrics } from '../metrics.ts';
import type { ExtensionPointName } from './plugin.ts';
import type { Code } from './status.ts';

/** One in this many calls of plugins is measured. It is prime, so that the sample does not always hit the same plugin. */
const SAMPLE_EVERY = 11;

type Outcome = Code | 'Success';

/** Metrics of a profile's extension points and plugins: durations, and the number of evaluations. */
export class FrameworkMetrics {
  readonly #clock: Clock;
  #calls = 0;
  readonly #point: (point: string, status: string) => { observe(seconds: number): void };
  readonly #plugin: (pluginAndPoint: string, status: string) => { observe(seconds: number): void };
  readonly #evaluations: (plugin: string, point: string) => { inc(by?: number): void };

  constructor(metrics: SchedulerMetrics, profile: string, clock: Clock) {
    this.#clock = clock;
    this.#point = byTwoLabels((point, status) =>
      metrics.extensionPointDuration.child({ extension_point: point, status, profile }),
    );
    this.#plugin = byTwoLabels((both, status) => {
      const [plugin = '', point = ''] = both.split(' ');
      return metrics.pluginDuration.child({ plugin, extension_point: point, status });
    });
    this.#evaluations = byTwoLabels((plugin, point) =>
      metrics.pluginEvaluations.child({ plugin, extension_point: point, profile }),
    );
  }

  start(): number {
    return this.#clock.monotonic();
  }

  point(point: ExtensionPointName, startedAt: number, status: Outcome = 'Success'): void {
    this.#point(point, status).observe((this.#clock.monotonic() - startedAt) / 1000);
  }

  plugin(plugin: string, point: ExtensionPointName, startedAt: number, status: Outcome = 'Success'): void {
    if (this.#calls++ % SAMPLE_EVERY !== 0) return;
    this.#plugin(`${plugin} ${point}`, status).observe((this.#clock.monotonic() - startedAt) / 1000);
  }

  /** Counts evaluations of a plugin: one for the pod, or one for each node. */
  countEvaluations(plugin: string, point: ExtensionPointName, times = 1): void {
    this.#evaluations(plugin, point).inc(times);
  }
}
