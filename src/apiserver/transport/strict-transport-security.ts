import type { Handler } from './transport.ts';

/** --strict-transport-security-directives: browsers do not come without TLS any more. */
export function withStrictTransportSecurity(handler: Handler, directives: readonly string[]): Handler {
  if (directives.length === 0) return handler;
  const value = directives.join('; ');
  return async (request) => {
    const response = await handler(request);
    response.headers['strict-transport-security'] = value;
    return response;
  };
}
