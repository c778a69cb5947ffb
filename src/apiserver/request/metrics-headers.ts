import { METRICS_CONTENT_TYPE } from '../../kernel/index.ts';

/** Scrapers see from the start time that the counters began anew. */
export const metricsHeaders = (startedAt: number): Record<string, string> => ({
  'content-type': METRICS_CONTENT_TYPE,
  'process-start-time-unix': String(Math.floor(startedAt / 1000)),
});
