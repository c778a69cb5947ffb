import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportJWK, SignJWT, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext, type Context } from '../../../kernel/index.ts';
import { startLoopbackServer, type LoopbackServer } from '../../review-webhooks/testing/loopback-server.ts';
import { InvalidTokenError } from '../authenticator.ts';
import { authenticationFromConfiguration } from '../configuration.ts';

interface Key {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: JWK;
}

const ctx: Context = createContext({ writeLog: () => {} });
let provider: LoopbackServer;
let keys: Key[];

beforeAll(async () => {
  keys = [await createKey('first')];
  provider = await startLoopbackServer((path) =>
    path === '/keys'
      ? { body: { keys: keys.map(({ jwk }) => jwk) } }
      : { body: { issuer: provider.url, jwks_uri: `${provider.url}/keys` } },
  );
});
afterAll(() => provider.close());

describe('ID tokens', () => {
  it('give a user by claims and prefixes', async () => {
    const user = await authenticate(configuration(), { sub: 'jane', groups: ['dev', 'ops'], jti: 'abc' });
    expect(user).toEqual({
      name: 'oidc:jane',
      groups: ['g:dev', 'g:ops'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=abc'] },
    });
  });

  it('give a user by expressions', async () => {
    const mappings = {
      username: { expression: "claims.sub + '@example'" },
      groups: { expression: "claims.roles.split(',')" },
      uid: { claim: 'oid' },
      extra: [{ key: 'example.com/level', valueExpression: 'string(claims.level)' }],
    };
    const user = await authenticate(configuration({ claimMappings: mappings }), {
      sub: 'jane',
      roles: 'a,b',
      oid: 'u-1',
      level: 3,
    });
    expect(user).toEqual({
      name: 'jane@example',
      uid: 'u-1',
      groups: ['a', 'b'],
      extra: { 'example.com/level': ['3'] },
    });
  });

  const refusals: {
    name: string;
    claims: Record<string, unknown>;
    config?: Record<string, unknown>;
    signed?: Parameters<typeof sign>[1];
    reason: RegExp;
  }[] = [
    {
      name: 'of another audience',
      claims: { sub: 'a' },
      signed: { audience: 'other' },
      reason: /unexpected "aud" claim value/,
    },
    { name: 'that has expired', claims: { sub: 'a' }, signed: { expiresIn: -60 }, reason: /timestamp check failed/ },
    { name: 'without a username', claims: {}, reason: /parse username claims "sub": claim not present/ },
    {
      name: 'with an address that is not verified',
      claims: { email: 'a@b', email_verified: false },
      config: { claimMappings: { username: { claim: 'email', prefix: '' } } },
      reason: /email not verified/,
    },
    {
      name: 'that lacks a required claim',
      claims: { sub: 'a' },
      config: { claimValidationRules: [{ claim: 'hd', requiredValue: 'example.com' }] },
      reason: /required claim hd not present/,
    },
    {
      name: 'that breaks a rule on claims',
      claims: { sub: 'a', level: 1 },
      config: { claimValidationRules: [{ expression: 'claims.level > 2', message: 'too low' }] },
      reason: /failed: too low/,
    },
    {
      name: 'whose user breaks a rule',
      claims: { sub: 'system:x' },
      config: {
        claimMappings: { username: { claim: 'sub', prefix: '' } },
        userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
      },
      reason: /failed: reserved/,
    },
  ];
  it.each(refusals)('are refused: $name', async ({ claims, config, signed, reason }) => {
    const token = await sign(claims, signed);
    let refused: unknown;
    try {
      await authenticator(configuration(config)).authenticateToken(token, [], () => {});
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(InvalidTokenError);
    expect((refused as Error).message).toMatch(reason);
    expect((refused as Error).message).not.toContain(token);
  });

  it('signed with a forged key are refused, and tokens of other issuers are ignored', async () => {
    const forged = await createKey('first');
    const oidc = authenticator(configuration());
    await expect(oidc.authenticateToken(await sign({ sub: 'a' }, { key: forged }), [], () => {})).rejects.toThrow(
      /signature verification failed/,
    );
    expect(
      await oidc.authenticateToken(await sign({ sub: 'a' }, { issuer: 'https://elsewhere' }), [], () => {}),
    ).toBeUndefined();
    expect(await oidc.authenticateToken('no-token', [], () => {})).toBeUndefined();
  });

  it('are accepted after the provider rotated its keys', async () => {
    const oidc = authenticator(configuration(), { ...ctx, clock: rushing() });
    expect(await oidc.authenticateToken(await sign({ sub: 'a' }), [], () => {})).toBeDefined();
    keys = [await createKey('second'), keys[0]!];
    expect(await oidc.authenticateToken(await sign({ sub: 'b' }), [], () => {})).toMatchObject({
      user: { name: 'oidc:b' },
    });
  });
});

describe('AuthenticationConfiguration', () => {
  const invalid: { name: string; config: Record<string, unknown>; message: RegExp }[] = [
    {
      name: 'an issuer without https',
      config: { issuer: { url: 'http://x', audiences: ['a'] } },
      message: /URL scheme must be https/,
    },
    { name: 'no audience', config: { issuer: { url: 'https://x' } }, message: /audiences: Required value/ },
    {
      name: 'an expression that is none',
      config: { claimMappings: { username: { expression: 'claims.' } } },
      message: /claimMappings.username.expression: Invalid value/,
    },
    {
      name: 'a claim without a prefix',
      config: { claimMappings: { username: { claim: 'sub' } } },
      message: /prefix is required when claim is set/,
    },
  ];
  it.each(invalid)('refuses $name', ({ config, message }) => {
    expect(() => authenticationFromConfiguration(ctx, configuration(config))).toThrow(message);
  });
  it('limits anonymous access to paths', () => {
    const text = JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
    });
    expect(authenticationFromConfiguration(ctx, text).anonymous).toEqual({ enabled: true, paths: ['/livez'] });
  });
});

function configuration(more: Record<string, unknown> = {}): string {
  const jwt = {
    issuer: {
      url: provider.url,
      audiences: ['k8ts', 'more'],
      audienceMatchPolicy: 'MatchAny',
      certificateAuthority: provider.ca,
    },
    claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'g:' } },
    ...more,
  };
  return JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt: [jwt] });
}

const authenticator = (text: string, context = ctx) =>
  authenticationFromConfiguration(context, text).tokenAuthenticators![0]!;

async function authenticate(text: string, claims: Record<string, unknown>): Promise<unknown> {
  const answer = await authenticator(text).authenticateToken(await sign(claims), [], () => {});
  return answer?.user;
}

async function createKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}

function sign(
  claims: Record<string, unknown>,
  options: { key?: Key; issuer?: string; audience?: string; expiresIn?: number } = {},
): Promise<string> {
  const key = options.key ?? keys[0]!;
  const now = Math.floor(ctx.clock.now() / 1000);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: key.kid })
    .setIssuer(options.issuer ?? provider.url)
    .setAudience(options.audience ?? 'k8ts')
    .setExpirationTime(now + (options.expiresIn ?? 600))
    .sign(key.privateKey);
}

/** A clock on which a minute passes with every look. */
function rushing(): Context['clock'] {
  let minutes = 0;
  const { clock } = ctx;
  return {
    now: () => clock.now(),
    monotonic: () => ++minutes * 60_000,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    after: (ms, fire) => clock.after(ms, fire),
    every: (ms, fire) => clock.every(ms, fire),
    deadline: (ms, parent) => clock.deadline(ms, parent),
    yield: () => clock.yield(),
  };
}
