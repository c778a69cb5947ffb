/** --cors-allowed-origins: lets pages of other origins read responses. It comes before authentication, as a preflight has no token. */
import type { Random } from '../../kernel/index.ts';
import { compileGoRegexp } from '../../machinery/validation/index.ts';
import { headerOf, type ApiRequest, type ApiResponse } from '../request/request.ts';
import { auditIdOf } from './handle-request.ts';

type Handler = (request: ApiRequest) => Promise<ApiResponse>;

const HEADERS = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
} as const;

/** Browsers send one origin, of less than 300 characters. */
const MAX_ORIGIN_LENGTH = 1024;

/** `patterns` are regular expressions of origins, in Go's syntax; each matches anywhere in the origin. */
export function withCors(handler: Handler, patterns: readonly string[], random: Pick<Random, 'uid'>): Handler {
  if (patterns.length === 0) return handler;
  const allowed = patterns.map((pattern) => compileGoRegexp(pattern));
  return async (request) => {
    const origin = headerOf(request, 'origin');
    if (!origin || origin.length > MAX_ORIGIN_LENGTH || !allowed.some((regexp) => regexp.test(origin)))
      return handler(request);
    const cors = { 'access-control-allow-origin': origin, ...HEADERS };
    if (request.method === 'OPTIONS') {
      const auditId = auditIdOf(request) ?? random.uid();
      return { status: 204, headers: { 'audit-id': auditId, 'cache-control': 'no-cache, private', ...cors } };
    }
    const response = await handler(request);
    Object.assign(response.headers, cors);
    return response;
  };
}
