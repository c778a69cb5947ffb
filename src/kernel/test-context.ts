import { setMaxListeners } from 'node:events';
import type { Context } from './context.ts';
import { klogText } from './log-format.ts';
import { createLogger } from './logger.ts';
import { PrometheusRegistry } from './metrics-registry.ts';
import { SeededRandom } from './seeded-random.ts';
import { noTracer } from './tracing.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface TestContext extends Context {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly metrics: PrometheusRegistry;
  /** Every log line so far. */
  readonly logLines: readonly string[];
  /** Aborts `signal`. */
  stop(reason?: unknown): void;
}

interface TestContextOptions {
  seed?: number | string;
  /** Milliseconds since the epoch. */
  startTime?: number;
  verbosity?: number;
  /** See VirtualClockOptions. */
  turns?: number;
}

/** A context on virtual time and seeded randomness; log lines are recorded, not printed. */
export function createTestContext(options: TestContextOptions = {}): TestContext {
  const clock = new VirtualClock({ startTime: options.startTime, turns: options.turns });
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const logLines: string[] = [];
  const logger = createLogger({
    now: () => clock.now(),
    format: klogText(1),
    write: (line) => void logLines.push(line),
    verbosity: options.verbosity,
  });
  return {
    clock,
    random: new SeededRandom(options.seed ?? 1),
    logger,
    metrics: new PrometheusRegistry(),
    tracer: noTracer,
    signal: controller.signal,
    logLines,
    stop: (reason) => controller.abort(reason),
  };
}
