import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handleRequest } from '../pipeline/handle-request.ts';
import type { UserInfo } from '../request/request.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import type { Authenticator } from './authenticator.ts';
import { BearerTokens } from './bearer-tokens.ts';
import { isPlainIdentity } from './identity-text.ts';

const USERS: [what: string, user: UserInfo, plain: boolean][] = [
  ['a plain name', { name: 'jane', groups: ['dev'], uid: '1', extra: { 'example.com/scope': ['a b'] } }, true],
  ['a name beyond ASCII', { name: 'Jürgen 日本', groups: [] }, true],
  ['CR LF in the name', { name: 'jane\r\nX-Remote-Group: system:masters', groups: [] }, false],
  ['LF in a group', { name: 'jane', groups: ['a', 'b\nc'] }, false],
  ['NUL in the UID', { name: 'jane', groups: [], uid: '1\0' }, false],
  ['CR in an extra key', { name: 'jane', groups: [], extra: { 'a\rb': ['x'] } }, false],
  ['LF in an extra value', { name: 'jane', groups: [], extra: { a: ['x', 'y\n'] } }, false],
  ['DEL', { name: 'jane\x7f', groups: [] }, false],
];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** The status of a request that this authenticator lets in. */
async function statusFor(authenticate: Authenticator['authenticate']): Promise<number> {
  const { chain } = server.pipeline;
  const request = {
    method: 'GET',
    path: '/version',
    query: new URLSearchParams(),
    headers: {},
    readBody: () => Promise.resolve(Buffer.alloc(0)),
    remoteAddress: '',
    signal: server.ctx.signal,
  };
  return (await handleRequest({ ...chain, authenticators: [{ name: 'test', authenticate }] }, request)).status;
}

describe('an identity', () => {
  it.each(USERS)('with %s', async (_, user, plain) => {
    expect(isPlainIdentity(user)).toBe(plain);
    // Whoever may ask for the version: 403 would be an answer to somebody who was let in.
    const letIn = [await statusFor(() => user), await statusFor(() => Promise.resolve(user))].map(
      (status) => status !== 401,
    );
    expect(letIn).toEqual([plain, plain]);
    const tokens = new BearerTokens([{ name: 'test', authenticateToken: () => ({ user }) }], ['api']);
    const reviewed = await tokens.review('token', []).then(
      () => true,
      () => false,
    );
    expect(reviewed).toBe(plain);
  });

  it('is not impersonated with control characters in its extra', async () => {
    const headers = { 'impersonate-user': 'jane', 'impersonate-extra-a%0d%0ab': 'x' };
    expect((await server.call('GET', '/version', { headers })).status).toBe(400);
    expect(
      (
        await server.call('GET', '/version', {
          headers: { 'impersonate-user': 'jane', 'impersonate-extra-a%2fb': 'x' },
        })
      ).status,
    ).toBe(200);
  });
});
