import { describe, expect, it } from 'vitest';
import { isSecretName, redact, redactText } from './redact.ts';

describe('redactText', () => {
  it.each([
    ['a bearer token', 'Authorization: Bearer abc.def-123', 'Authorization: Bearer [REDACTED]'],
    ['a JWT', 'got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln here', 'got [REDACTED] here'],
    ['a private key', 'x -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- y', 'x [REDACTED] y'],
    ['a truncated private key', '-----BEGIN PRIVATE KEY-----\nabc', '[REDACTED]'],
    ['a JWT at the end of a word', 'x-eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln', 'x-[REDACTED]'],
    ['a JWT after a name', 'a.b.eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln', 'a.b.[REDACTED]'],
    ['a password in a URL', 'https://me:hunter2@host/x', 'https://me:[REDACTED]@host/x'],
    ['a token in a query', '/x?access_token=abc&b=1', '/x?access_token=[REDACTED]&b=1'],
    ['a bootstrap token', 'token abcdef.0123456789abcdef', 'token abcdef.[REDACTED]'],
    ['nothing secret', 'secret "db" not found in https://host:443/a', 'secret "db" not found in https://host:443/a'],
  ])('%s', (_name, text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it('leaves out the end of a long text, after it has looked for secrets in all of it', () => {
    const text = redactText(`${'x'.repeat(8180)} token="${'s'.repeat(100)}" end`);
    expect(text.slice(8180)).toBe(' token=[REDA… (9 more characters)');
  });

  it('takes linear time for texts with many candidates', () => {
    const before = process.cpuUsage();
    for (const part of ['eyJ-', 'a', 'a:', 'a://', 'bearer ', '-----BEGIN PRIVATE ', 'token="', 'a.'])
      redactText(`${part.repeat(200_000 / part.length)}\0 =`);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
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
  it('copies deeply and does not change the original', () => {
    const value = { user: 'a', auth: { token: 't', expires: 5 }, items: [{ password: 'p' }], ok: true };
    expect(redact(value)).toEqual({
      user: 'a',
      auth: { token: '[REDACTED]', expires: 5 },
      items: [{ password: '[REDACTED]' }],
      ok: true,
    });
    expect(value.auth.token).toBe('t');
  });

  it('logs the number of bytes instead of their content', () => {
    expect(redact({ body: new Uint8Array(3) })).toEqual({ body: '[3 bytes]' });
  });
});
