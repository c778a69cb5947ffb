/**
 * How long turns of the event loop last: whatever a client asks for meanwhile waits for the turn to end. Only turns are measured in which
 * somebody begins work, from there to their end, so that a process at rest is not woken for it.
 */
import type { Clock } from './clock.ts';
import type { Histogram, MetricsRegistry } from './metrics.ts';

const BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2];

export class EventLoopTurns {
  readonly #clock: Clock;
  readonly #durations: Histogram;
  #isMeasured = false;
  #startedAt = 0;

  constructor(metrics: MetricsRegistry, clock: Clock) {
    this.#clock = clock;
    this.#durations = metrics.histogram({
      name: 'k8ts_event_loop_turn_duration_seconds',
      help: 'How long turns of the event loop lasted, from the first request in them, with garbage collection.',
      buckets: BUCKETS,
    });
  }

  /** Work begins in this turn. */
  begin(): void {
    if (this.#isMeasured) return;
    this.#isMeasured = true;
    this.#startedAt = this.#clock.monotonic();
    void this.#clock.yield().then(this.#end);
  }

  readonly #end = (): void => {
    this.#isMeasured = false;
    this.#durations.observe((this.#clock.monotonic() - this.#startedAt) / 1000);
  };
}
