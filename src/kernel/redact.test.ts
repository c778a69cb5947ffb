import { describe, expect, it } from 'vitest';
import { isSecretName, redact, redactText } from './redact.ts';

describe('redactText', () => {
  it.each([
    ['a bearer token', 'Authorization: Bearer abc.def-123', 'Authorization: Bearer [REDACTED]'],
    ['a JWT', 'got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln here', 'got [REDACTED] here'],
    ['a private key', 'x -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- y', 'x [REDACTED] y'],
    ['a truncated private key', '-----BEGIN PRIVATE KEY-----\nabc', '[REDACTED]'],
    ['a password in a URL', 'https://me:hunter2@host/x', 'https://me:[REDACTED]@host/x'],
    ['a token in a query', '/x?access_token=abc&b=1', '/x?access_token=[REDACTED]&b=1'],
    ['a bootstrap token', 'token abcdef.0123456789abcdef', 'token abcdef.[REDACTED]'],
    ['nothing secret', 'secret "db" not found in https://host:443/a', 'secret "db" not found in https://host:443/a'],
  ])('%s', (_name, text, expected) => {
    expect(redactText(text)).toBe(expected);
  });
});

describe('isSecretName', () => {
  it.each([
    ['token', true],
    ['bearerToken', true],
    ['client-secret', true],
    ['tls.key', true],
    ['client-key-data', true],
    ['X-Api-Key', true],
    ['Set-Cookie', true],
    ['secretName', false],
    ['tokenExpirationSeconds', false],
    ['key', false],
    ['name', false],
  ])('%s: %s', (name, secret) => {
    expect(isSecretName(name)).toBe(secret);
  });
});

describe('redact', () => {
  it('copies deeply and leaves the original alone', () => {
    const value = { user: 'a', auth: { token: 't', expires: 5 }, items: [{ password: 'p' }], ok: true };
    expect(redact(value)).toEqual({
      user: 'a',
      auth: { token: '[REDACTED]', expires: 5 },
      items: [{ password: '[REDACTED]' }],
      ok: true,
    });
    expect(value.auth.token).toBe('t');
  });

  it('says how many bytes there were, not which', () => {
    expect(redact({ body: new Uint8Array(3) })).toEqual({ body: '[3 bytes]' });
  });
});
