import { X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import { createAuthority, issue } from '../pki/certificates.ts';
import { parseApiServerFlags } from './index.ts';
import { serverKeys } from './server-keys.ts';

const NAMES = { dnsNames: ['localhost'], addresses: ['127.0.0.1'], signingKey: 'ec' as const };

let ctx: TestContext;
let directory = '';
beforeEach(() => {
  ctx = createTestContext();
  directory = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-cert-dir-')), 'certs');
});
afterEach(() => {
  ctx.stop();
  fs.rmSync(path.dirname(directory), { recursive: true, force: true });
});

const start = async (...argv: string[]) => (await follow(...argv)).keys;
const follow = (...argv: string[]) =>
  serverKeys(ctx, parseApiServerFlags(['--etcd-servers=http://a:1', `--cert-dir=${directory}`, ...argv]).values, NAMES);

const file = (name: string): string => path.join(directory, name);

describe('--cert-dir', () => {
  it('serves the pair that is there and leaves every file as it is', async () => {
    const authority = await createAuthority(ctx, 'mine');
    // Neither our names nor many days left: it is not ours to renew.
    const pair = await issue(ctx, authority, {
      commonName: 'mine',
      usage: 'server',
      dnsNames: ['mine.example'],
      days: 1,
    });
    const files = {
      'apiserver.crt': pair.certificate,
      'apiserver.key': pair.key,
      'ca.crt': authority.certificate,
      'apiserver-kubelet-client.crt': 'x',
    };
    fs.mkdirSync(directory);
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(file(name), text);
    const { apiserver } = await start();
    expect(apiserver).toEqual(pair);
    expect(
      Object.fromEntries(fs.readdirSync(directory).map((name) => [name, fs.readFileSync(file(name), 'utf8')])),
    ).toEqual(files);
  });

  it('creates a key pair if there is none, and uses it again after a restart', async () => {
    const { apiserver } = await start();
    expect(fs.readdirSync(directory).toSorted()).toEqual(['apiserver.crt', 'apiserver.key']);
    expect(fs.readFileSync(file('apiserver.crt'), 'utf8')).toBe(apiserver.certificate);
    expect(fs.statSync(file('apiserver.key')).mode & 0o777).toBe(0o600);
    const [leaf, authority] = apiserver.certificate
      .match(/-----BEGIN[^]*?-----END CERTIFICATE-----/g)!
      .map((pem) => new X509Certificate(pem));
    expect(leaf!.verify(authority!.publicKey)).toBe(true);
    expect(leaf!.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect((await start()).apiserver).toEqual(apiserver);
  });

  it.each(['apiserver.crt', 'apiserver.key'])('refuses %s without the other', async (name) => {
    fs.mkdirSync(directory);
    fs.writeFileSync(file(name), 'mine');
    await expect(start()).rejects.toThrow(
      /^error reading .*certs\/apiserver\.(crt|key), certificate and key must be supplied as a pair$/,
    );
    expect(fs.readdirSync(directory)).toEqual([name]);
    expect(fs.readFileSync(file(name), 'utf8')).toBe('mine');
  });

  it('is not used when --tls-cert-file is given', async () => {
    const pair = await issue(ctx, await createAuthority(ctx, 'mine'), { commonName: 'mine', usage: 'server' });
    const given = path.dirname(directory);
    fs.writeFileSync(path.join(given, 'a.crt'), pair.certificate);
    fs.writeFileSync(path.join(given, 'a.key'), pair.key);
    const { apiserver } = await start(`--tls-cert-file=${given}/a.crt`, `--tls-private-key-file=${given}/a.key`);
    expect(apiserver).toEqual(pair);
    expect(fs.existsSync(directory)).toBe(false);
  });
});

describe('changed files', () => {
  const FILES = {
    '--tls-cert-file': 'a.crt',
    '--tls-private-key-file': 'a.key',
    '--kubelet-client-certificate': 'a.crt',
    '--kubelet-client-key': 'a.key',
    '--proxy-client-cert-file': 'a.crt',
    '--proxy-client-key-file': 'a.key',
    '--client-ca-file': 'ca.crt',
    '--requestheader-client-ca-file': 'ca.crt',
  };

  it('give the server its new certificates and CAs', async () => {
    fs.mkdirSync(directory);
    const write = async (): Promise<{ pair: { certificate: string; key: string }; ca: string }> => {
      const authority = await createAuthority(ctx, 'mine');
      const pair = await issue(ctx, authority, { commonName: 'mine', usage: 'server' });
      fs.writeFileSync(file('a.crt'), pair.certificate);
      fs.writeFileSync(file('a.key'), pair.key);
      fs.writeFileSync(file('ca.crt'), authority.certificate);
      return { pair, ca: authority.certificate };
    };
    await write();
    const { keys, onChange } = await follow(
      ...Object.entries(FILES).map(([flag, name]) => `${flag}=${file(name)}`),
      `--tls-sni-cert-key=${file('a.crt')},${file('a.key')}:a.example`,
    );
    // Between the start and the listener nothing is lost.
    const { pair, ca } = await write();
    const renewed: Partial<typeof keys> = {};
    onChange((changed) => Object.assign(renewed, changed));
    await until('all keys', () => {
      const { apiserver, named, kubeletClient, frontProxyClient, ca: clientCa, frontProxyCa } = renewed;
      const current = [apiserver, named?.[0], kubeletClient, frontProxyClient].map((found) => found?.certificate);
      return (
        current.every((found) => found === pair.certificate) &&
        [clientCa, frontProxyCa].every((found) => found?.certificate === ca)
      );
    });
    expect(keys.apiserver.certificate).not.toBe(pair.certificate);
    expect(renewed.named).toEqual([{ ...pair, names: ['a.example'] }]);
  });

  it.each([
    ['a.crt,a.key:', 'empty names list is not allowed'],
    ['a.crt', 'expected comma separated certificate and key file paths'],
  ])('are not %s', async (value, message) => {
    expect(() => follow(`--tls-sni-cert-key=${value}`)).toThrow(message);
  });
});
