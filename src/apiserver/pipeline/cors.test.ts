import { describe, expect, it } from 'vitest';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import { withCors } from './cors.ts';

const handler = (): Promise<ApiResponse> =>
  Promise.resolve({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' });
const random = { uid: () => 'uid' };
const PATTERNS = ['//example\\.com(:|$)', '^https://[a-z]+\\.test$'];

const ask = (headers: Record<string, string>, method = 'GET'): Promise<ApiResponse> =>
  withCors(handler, PATTERNS, random)({ method, headers } as unknown as ApiRequest);

const CORS = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};

describe('an allowed origin', () => {
  it.each(['http://example.com', 'https://example.com:8080', 'https://a.test'])(
    'gets the headers: %s',
    async (origin) => {
      const { status, headers, body } = await ask({ origin });
      expect({ status, body }).toEqual({ status: 200, body: 'ok' });
      expect(headers).toEqual({ 'content-type': 'text/plain', 'access-control-allow-origin': origin, ...CORS });
    },
  );

  it('may ask before it sends', async () => {
    const origin = 'https://example.com';
    expect(await ask({ origin, 'audit-id': 'mine' }, 'OPTIONS')).toEqual({
      status: 204,
      headers: {
        'audit-id': 'mine',
        'cache-control': 'no-cache, private',
        'access-control-allow-origin': origin,
        ...CORS,
      },
    });
    expect((await ask({ origin }, 'OPTIONS')).headers['audit-id']).toBe('uid');
  });
});

it.each([
  ['no origin', {}],
  ['the origin of others', { origin: 'https://example.com.attacker.org' }],
  ['a host that ends alike', { origin: 'https://notexample.com' }],
  ['an origin that is too long to be one', { origin: `http://example.com:${'1'.repeat(2000)}` }],
])('%s changes nothing', async (_, headers: Record<string, string>) => {
  for (const method of ['GET', 'OPTIONS'])
    expect(await ask(headers, method)).toEqual({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: 'ok',
    });
});

it('costs nothing when it is off', () => {
  expect(withCors(handler, [], random)).toBe(handler);
});
