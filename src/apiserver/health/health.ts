/** /healthz, /livez and /readyz: named checks, each also by itself, excluded with ?exclude=, told with ?verbose. */
import type { Context } from '../../kernel/index.ts';
import type { Endpoint } from '../endpoints.ts';
import type { Exchange } from '../handle-request.ts';
import { respondText } from '../respond.ts';
import type { ApiResponse } from '../request.ts';

export interface HealthCheck {
  readonly name: string;
  /** undefined when all is well, else what is wrong. */
  check(): Promise<string | undefined> | string | undefined;
}

const ping: HealthCheck = { name: 'ping', check: () => undefined };

export function healthEndpoints(_ctx: Context, checks: readonly HealthCheck[] = [], readyChecks: readonly HealthCheck[] = []): Endpoint[] {
  const all = [ping, ...checks];
  return [
    ...endpointsOf('healthz', all),
    ...endpointsOf('livez', all),
    ...endpointsOf('readyz', [...all, ...readyChecks]),
  ];
}

const ANY_METHOD = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function endpointsOf(name: string, checks: readonly HealthCheck[]): Endpoint[] {
  return [
    { path: `/${name}`, methods: ANY_METHOD, serve: (exchange) => runAll(name, checks, exchange) },
    ...checks.map((check): Endpoint => ({ path: `/${name}/${check.name}`, methods: ANY_METHOD, serve: (exchange) => runAll(`${name}/${check.name}`, [check], exchange, true) })),
  ];
}

async function runAll(name: string, checks: readonly HealthCheck[], { request }: Exchange, single = false): Promise<ApiResponse> {
  const excluded = new Set(request.query.getAll('exclude'));
  const lines: string[] = [];
  let failed = false;
  for (const check of checks) {
    if (excluded.delete(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`);
      continue;
    }
    const problem = await check.check();
    if (problem === undefined) lines.push(`[+]${check.name} ok`);
    else {
      failed = true;
      lines.push(`[-]${check.name} failed: reason withheld`);
    }
  }
  if (excluded.size > 0) lines.push(`warn: some health checks cannot be excluded: no matches for ${[...excluded].map((e) => `"${e}"`).join(', ')}`);
  if (failed) return respondText(500, single ? `internal server error: ${lines[0]}\n` : `${lines.join('\n')}\n${name} check failed\n`);
  if (!request.query.has('verbose') || single) return respondText(200, 'ok');
  return respondText(200, `${lines.join('\n')}\n${name} check passed\n`);
}
