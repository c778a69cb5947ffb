/** The health endpoints /healthz, /livez and /readyz, with ?exclude= and ?verbose; /livez/NAME runs a single check. */
import { ENDPOINTS, healthIndicators, runCheck, runChecks, type HealthCheck } from '../../component-server/index.ts';
import type { Context, Logger } from '../../kernel/index.ts';
import type { Endpoint } from '../request/endpoint.ts';
import type { Exchange } from '../request/exchange.ts';
import { metricsHeaders } from '../request/metrics-headers.ts';
import type { ApiResponse } from '../request/request.ts';
import { NO_SNIFF, respondText } from '../request/responses.ts';

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

async function runOne(check: HealthCheck): Promise<ApiResponse> {
  const { status, text } = await runCheck(check);
  return respondText(status, text);
}

async function runAll(
  logger: Logger,
  name: string,
  checks: readonly HealthCheck[],
  { request }: Exchange,
): Promise<ApiResponse> {
  const { status, text } = await runChecks(logger, name, checks, request.query);
  return status === 200 ? respondText(status, text, NO_SNIFF) : respondText(status, text);
}
