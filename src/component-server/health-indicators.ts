/**
 * The service level indicators at /metrics/slis: the last result of each health check, and the number of each result.
 */
import { PrometheusRegistry } from '../kernel/index.ts';
import type { HealthCheck } from './health-check.ts';

interface HealthIndicators {
  /** The check, with its results counted. */
  observed(check: HealthCheck, endpoint: string): HealthCheck;
  expose(): string;
}

export function healthIndicators(): HealthIndicators {
  const registry = new PrometheusRegistry();
  const last = registry.gauge({
    name: 'kubernetes_healthcheck',
    help: 'The last result of a health check: 1 for success, 0 otherwise.',
    labels: ['name', 'type'],
  });
  const total = registry.counter({
    name: 'kubernetes_healthchecks_total',
    help: 'The results of health checks.',
    labels: ['name', 'status', 'type'],
  });
  return {
    observed: (check, type) => ({
      ...check,
      async check() {
        const problem = await check.check();
        last.set(problem === undefined ? 1 : 0, { name: check.name, type });
        total.inc({ name: check.name, status: problem === undefined ? 'success' : 'error', type });
        return problem;
      },
    }),
    expose: () => registry.expose(),
  };
}
