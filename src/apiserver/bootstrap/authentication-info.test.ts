import { beforeAll, describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../api/generated/core-v1.ts';
import { createTestContext } from '../../kernel/index.ts';
import { makeCertificate } from '../../net/tls/testing/index.ts';
import { combinedAuthenticationInfo, keepAuthenticationInfo } from './authentication-info.ts';

let [old, current, expired] = ['', '', ''];
beforeAll(async () => {
  [old, current, expired] = (await Promise.all([
    makeCertificate({ subject: 'CN=old' }).then(({ pem }) => pem),
    makeCertificate({ subject: 'CN=current' }).then(({ pem }) => pem),
    makeCertificate({ subject: 'CN=expired', from: -3, to: -2 }).then(({ pem }) => pem),
  ])) as [string, string, string];
});

const line = (pem: string): string => `${pem.trim()}\n`;

const required = (clientCA = current) => ({
  clientCA,
  requestHeader: {
    clientCA: current,
    allowedNames: ['front'],
    usernameHeaders: ['X-Remote-User'],
    groupHeaders: ['X-Remote-Group'],
    extraHeadersPrefix: ['X-Remote-Extra-'],
  },
});

describe('extension-apiserver-authentication', () => {
  it('has what every server accepts, without expired CAs', () => {
    const existing = {
      'client-ca-file': `${old}\n${expired}\n${current}`,
      'requestheader-allowed-names': '["other","front"]',
      'requestheader-group-headers': 'not JSON',
      'requestheader-username-headers': '[1]',
      foreign: 'x',
    };
    expect(combinedAuthenticationInfo(existing, required(), Date.now()).data).toEqual({
      'client-ca-file': line(old) + line(current),
      'requestheader-allowed-names': '["other","front"]',
      'requestheader-client-ca-file': line(current),
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
  });

  it('is written when the CA changes, when somebody else has changed it, and not otherwise', async () => {
    const ctx = createTestContext({ startTime: Date.now() });
    let stored: ConfigMap | undefined;
    let ca = old;
    let renewed = (): void => {};
    let writes = 0;
    await keepAuthenticationInfo(ctx, {
      required: () => required(ca),
      existing: () => stored,
      write: async (object) => {
        stored = object;
        writes++;
      },
      onRenew: (listener) => (renewed = listener),
    });
    const bundle = (): string | undefined => stored?.data?.['client-ca-file'];
    expect([writes, bundle()]).toEqual([1, line(old)]);
    await ctx.clock.advance(600_000);
    expect(writes).toBe(1);
    ca = current;
    renewed();
    await ctx.clock.advance(0);
    expect([writes, bundle()]).toEqual([2, line(old) + line(current)]);
    stored = undefined;
    await ctx.clock.advance(60_000);
    expect([writes, bundle()]).toEqual([3, line(current)]);
    ctx.stop();
  });
});
