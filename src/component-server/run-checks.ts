/** The answers of /healthz, /livez and /readyz, with ?exclude= and ?verbose. */
import { quote } from '../base/index.ts';
import type { Logger } from '../kernel/index.ts';
import type { HealthCheck } from './health-check.ts';

interface Health {
  readonly status: 200 | 500;
  readonly text: string;
}

/** A single check returns the reason of a failure. */
export async function runCheck({ check }: HealthCheck): Promise<Health> {
  const problem = await check();
  return problem === undefined
    ? { status: 200, text: 'ok' }
    : { status: 500, text: `internal server error: ${problem}\n` };
}

export async function runChecks(
  logger: Logger,
  endpoint: string,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
): Promise<Health> {
  const excluded = new Set(query.getAll('exclude'));
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
      logger.v(2).info('Health check failed', { endpoint, check: check.name, reason: problem });
      lines.push(`[-]${check.name} failed: reason withheld`);
    }
  }
  if (unknown.size > 0)
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${[...unknown].sort().map(quote).join(', ')}`,
    );
  if (failed) return { status: 500, text: `${lines.join('\n')}\n${endpoint} check failed\n` };
  if (!query.has('verbose')) return { status: 200, text: 'ok' };
  return { status: 200, text: `${lines.join('\n')}\n${endpoint} check passed\n` };
}
