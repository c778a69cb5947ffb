import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { MetricsRegistry } from './metrics.ts';
import type { Random } from './random.ts';

/**
 * What a component is given instead of globals. `run(ctx, config)` resolves only when everything that it started has
 * ended, and ends when `signal` aborts.
 */
export interface Context {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly signal: AbortSignal;
}
