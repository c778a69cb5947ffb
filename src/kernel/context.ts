import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.ts';
import { jsonLines, klogText } from './log-format.ts';
import { createLogger, type Logger } from './logger.ts';
import { PrometheusRegistry } from './metrics-registry.ts';
import type { MetricsRegistry } from './metrics.ts';
import type { Random } from './random.ts';
import { RealClock } from './real-clock.ts';
import { SpanRing } from './span-ring.ts';
import { SystemRandom } from './system-random.ts';
import { noTracer, type Tracer } from './tracing.ts';

/**
 * What a component is given instead of globals. `run(ctx, config)` resolves only when everything that it started has
 * ended, and ends when `signal` aborts.
 */
export interface Context {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  /** Where spans are recorded. */
  readonly tracer: Tracer;
  readonly signal: AbortSignal;
}

export interface ContextOptions {
  /** Ends the run when it aborts; default: a signal that never does. */
  signal?: AbortSignal;
  /** The component's name on its log lines. */
  name?: string;
  verbosity?: number;
  logFormat?: 'text' | 'json';
  /** Takes one log line, without the line feed; default: standard error. */
  writeLog?: (line: string) => void;
  clock?: Clock;
  random?: Random;
  logger?: Logger;
  metrics?: MetricsRegistry;
  /** Names of metrics that are not written out, where `metrics` is not given. */
  disabledMetrics?: readonly string[];
  /** Default: spans are not recorded; `memory` keeps the newest in memory. */
  tracer?: Tracer | 'memory';
}

/** A context on the machine's clock and entropy, logging to standard error. */
export function createContext(options: ContextOptions = {}): Context {
  const clock = options.clock ?? new RealClock();
  const signal = options.signal ?? new AbortController().signal;
  setMaxListeners(0, signal);
  const logger =
    options.logger ??
    createLogger({
      now: () => clock.now(),
      format: options.logFormat === 'json' ? jsonLines : klogText(process.pid),
      ...(options.writeLog ? { write: options.writeLog } : toStandardError),
      verbosity: options.verbosity,
      name: options.name,
    });
  const random = options.random ?? new SystemRandom();
  const metrics = options.metrics ?? registryWithout(options.disabledMetrics);
  const tracer = options.tracer === 'memory' ? new SpanRing({ clock, random, metrics }) : (options.tracer ?? noTracer);
  return { clock, random, logger, metrics, tracer, signal };
}

function registryWithout(names: readonly string[] = []): MetricsRegistry {
  const disabled = new Set(names.filter((name) => name !== ''));
  const metrics = new PrometheusRegistry(disabled);
  if (disabled.size > 0) metrics.counter(DISABLED_TOTAL).inc({}, disabled.size);
  return metrics;
}

const DISABLED_TOTAL = { name: 'disabled_metrics_total', help: 'Number of metrics that were disabled by a flag.' };

const MAX_WAITING_BYTES = 1024 * 1024;

const toStandardError = {
  write: (line: string): void => void process.stderr.write(`${line}\n`),
  isBlocked: (): boolean => process.stderr.destroyed || process.stderr.writableLength > MAX_WAITING_BYTES,
};

/** The context of a part: its name on log lines, its own random stream, and its own signal if one is given. */
export function childContext(parent: Context, name: string, signal: AbortSignal = parent.signal): Context {
  return {
    clock: parent.clock,
    metrics: parent.metrics,
    tracer: parent.tracer,
    random: parent.random.fork(name),
    logger: parent.logger.named(name),
    signal,
  };
}
