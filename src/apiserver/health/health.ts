/** The health endpoints /healthz, /livez and /readyz, with ?exclude= and ?verbose; /livez/NAME runs a single check. */
import { quote } from '../../base/index.ts';
import type { Context, Logger } from '../../kernel/index.ts';
import type { Endpoint } from '../request/endpoint.ts';
import type { Exchange } from '../request/exchange.ts';
import { metricsHeaders } from '../request/metrics-headers.ts';
import type { ApiResponse } from '../request/request.ts';
import { NO_SNIFF, respondText } from '../request/responses.ts';
import { ENDPOINTS, type HealthCheck } from './health-check.ts';
import { healthIndicators } from './health-indicators.ts';

export const healthEndpoints = (
  { logger, clock }: Pick<Context, 'logger' | 'clock'>,
  checks: readonly HealthCheck[],
): Endpoint[] => {
  const indicators = healthIndicators();
  const startedAt = clock.now();
  return [
    ...ENDPOINTS.flatMap((endpoint) =>
      endpointsOf(
        logger,
        endpoint,
        checks
          .filter(({ endpoints = ENDPOINTS }) => endpoints.includes(endpoint))
          .map((check) => indicators.observed(check, endpoint)),
      ),
    ),
    {
      path: '/metrics/slis',
      plain: true,
      serve: () => respondText(200, indicators.expose(), metricsHeaders(startedAt)),
    },
  ];
};

function endpointsOf(logger: Logger, name: string, checks: readonly HealthCheck[]): Endpoint[] {
  return [
    { path: `/${name}`, plain: true, serve: (exchange) => runAll(logger, name, checks, exchange) },
    ...checks.map((check): Endpoint => ({
      path: `/${name}/${check.name}`,
      plain: true,
      serve: () => runOne(check),
    })),
  ];
}

/** A single check returns the reason of a failure. */
async function runOne({ check }: HealthCheck): Promise<ApiResponse> {
  const problem = await check();
  return problem === undefined ? respondText(200, 'ok') : respondText(500, `internal server error: ${problem}\n`);
}

async function runAll(
  logger: Logger,
  name: string,
  checks: readonly HealthCheck[],
  { request }: Exchange,
): Promise<ApiResponse> {
  const excluded = new Set(request.query.getAll('exclude'));
  const unknown = new Set(excluded);
  const lines: string[] = [];
  let failed = false;
  for (const check of checks) {
    if (excluded.has(check.name)) {
      unknown.delete(check.name);
      lines.push(`[+]${check.name} excluded: ok`);
      continue;
    }
    const problem = await check.check();
    if (problem === undefined) lines.push(`[+]${check.name} ok`);
    else {
      failed = true;
      // Anonymous clients can call this endpoint: only the log has the reason.
      logger.v(2).info('Health check failed', { endpoint: name, check: check.name, reason: problem });
      lines.push(`[-]${check.name} failed: reason withheld`);
    }
  }
  if (unknown.size > 0)
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${[...unknown].sort().map(quote).join(', ')}`,
    );
  if (failed) return respondText(500, `${lines.join('\n')}\n${name} check failed\n`);
  if (!request.query.has('verbose')) return respondText(200, 'ok', NO_SNIFF);
  return respondText(200, `${lines.join('\n')}\n${name} check passed\n`, NO_SNIFF);
}
