import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { VirtualClock } from '../kernel/index.ts';
import { tokenFile } from './credentials.ts';
import { execCredentials } from './exec-credentials.ts';
import { inClusterConfig } from './in-cluster-config.ts';
import { loadKubeconfig } from './kubeconfig.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-kubeconfig-'));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

const clock = new VirtualClock();
let files = 0;

function write(content: unknown): string {
  const file = path.join(directory, `config-${files++}`);
  fs.writeFileSync(file, typeof content === 'string' ? content : stringify(content));
  return file;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function config(user: Record<string, unknown>, cluster: Record<string, unknown> = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'main', context: { cluster: 'c', user: 'u', namespace: 'dev' } },
      { name: 'plain', context: { cluster: 'c' } },
    ],
  };
}

describe('loadKubeconfig', () => {
  it('reads inline data', async () => {
    const file = write(
      config(
        {
          'client-certificate-data': base64('CERT'),
          'client-key-data': base64('KEY'),
          token: 't1',
          as: 'bob',
          'as-groups': ['g'],
        },
        { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'kubernetes' },
      ),
    );
    const loaded = await loadKubeconfig({ clock, file });
    expect(loaded).toMatchObject({
      server: 'https://10.0.0.1:6443',
      ca: 'CA',
      tlsServerName: 'kubernetes',
      namespace: 'dev',
      insecureSkipTlsVerify: false,
    });
    expect(loaded.impersonate).toEqual({ user: 'bob', groups: ['g'] });
    expect(await loaded.credentials.certificate()).toEqual({ cert: 'CERT', key: 'KEY' });
    expect(await loaded.credentials.authorization()).toBe('Bearer t1');
  });

  it('reads files relative to the kubeconfig', async () => {
    for (const name of ['ca.pem', 'cert.pem', 'key.pem', 'token'])
      fs.writeFileSync(path.join(directory, name), `${name}\n`);
    const user = { 'client-certificate': 'cert.pem', 'client-key': 'key.pem', tokenFile: 'token' };
    const loaded = await loadKubeconfig({
      clock,
      file: write(config(user, { 'certificate-authority': 'ca.pem', 'insecure-skip-tls-verify': true })),
    });
    expect(loaded).toMatchObject({ ca: 'ca.pem\n', insecureSkipTlsVerify: true });
    expect(await loaded.credentials.certificate()).toEqual({ cert: 'cert.pem\n', key: 'key.pem\n' });
    expect(await loaded.credentials.authorization()).toBe('Bearer token');
  });

  it('uses the named context, without a user if it has none', async () => {
    const loaded = await loadKubeconfig({
      clock,
      file: write(config({ username: 'a', password: 'b' })),
      context: 'plain',
    });
    expect(loaded.namespace).toBe('default');
    expect(await loaded.credentials.authorization()).toBeUndefined();
    const main = await loadKubeconfig({ clock, file: write(config({ username: 'a', password: 'b' })) });
    expect(await main.credentials.authorization()).toBe(`Basic ${base64('a:b')}`);
  });

  it('merges the files of $KUBECONFIG; the first value wins', async () => {
    const first = write({ clusters: [{ name: 'c', cluster: { server: 'https://first' } }] });
    const second = write(config({ token: 'x' }));
    const environment = { KUBECONFIG: [path.join(directory, 'missing'), first, second].join(path.delimiter) };
    expect(await loadKubeconfig({ clock, environment })).toMatchObject({ server: 'https://first', namespace: 'dev' });
  });

  it.each<[string, unknown, string]>([
    ['not YAML', 'a: [', 'is not YAML'],
    ['not a mapping', 'just text', 'is not a mapping'],
    ['empty', '', 'current-context is not set'],
    ['a nameless entry', { users: [{ user: {} }] }, 'an entry of users has no name'],
    [
      'a missing cluster',
      { 'current-context': 'x', contexts: [{ name: 'x', context: { cluster: 'nope' } }] },
      'there is no cluster "nope"',
    ],
    ['a cluster without a server', config({}, { server: '' }), 'has no server'],
    ['a proxy', config({}, { 'proxy-url': 'http://x' }), 'proxy-url, which is not supported'],
    ['an auth provider', config({ 'auth-provider': {} }), 'auth-provider'],
    [
      'exec without a command',
      config({ exec: { apiVersion: 'client.authentication.k8s.io/v1' } }),
      'exec has no command',
    ],
    [
      'exec of an unknown version',
      config({ exec: { command: 'x', apiVersion: 'v9' } }),
      'apiVersion "v9" is not supported',
    ],
  ])('fails by name on %s', async (_name, content, message) => {
    await expect(loadKubeconfig({ clock, file: write(content) })).rejects.toThrow(message);
  });

  it('reports where it looked', async () => {
    await expect(loadKubeconfig({ clock, environment: { KUBECONFIG: '/no/such' } })).rejects.toThrow(
      'there is no kubeconfig at /no/such',
    );
    await expect(loadKubeconfig({ clock, file: '/no/such' })).rejects.toThrow('cannot be read');
  });
});

describe('tokenFile', () => {
  it('reads again after a minute, at once when refused, and keeps the old token while the file is missing', async () => {
    const file = write('one\n');
    const credentials = tokenFile(file, clock);
    expect(await credentials.authorization()).toBe('Bearer one');
    fs.writeFileSync(file, 'two\n');
    expect(await credentials.authorization()).toBe('Bearer one');
    await clock.advance(61_000);
    expect(await credentials.authorization()).toBe('Bearer two');
    fs.rmSync(file);
    await clock.advance(61_000);
    expect(await credentials.authorization()).toBe('Bearer two');
    fs.writeFileSync(file, 'three');
    expect(credentials.refused()).toBe(true);
    expect(await credentials.authorization()).toBe('Bearer three');
    await expect(tokenFile('/no/such', clock).authorization()).rejects.toThrow('ENOENT');
  });
});

describe('execCredentials', () => {
  const apiVersion = 'client.authentication.k8s.io/v1';
  const plugin = (script: string, env: Record<string, string> = {}) => ({
    apiVersion,
    command: process.execPath,
    args: ['-e', script],
    env,
  });
  const print = (status: unknown): string =>
    `console.log(JSON.stringify({ apiVersion: '${apiVersion}', kind: 'ExecCredential', status: ${JSON.stringify(status)} }))`;

  it('runs the program, caches its result, and runs it again when that expired or was refused', async () => {
    const counter = write('');
    const expiry = new Date(clock.now() + 60_000).toISOString();
    const script = `require('fs').appendFileSync(${JSON.stringify(counter)}, 'x'); ${print({ token: 'tok', expirationTimestamp: expiry })}`;
    const runs = (): number => fs.readFileSync(counter, 'utf8').length;
    const credentials = execCredentials(plugin(script), clock);
    expect(await Promise.all([credentials.authorization(), credentials.authorization()])).toEqual([
      'Bearer tok',
      'Bearer tok',
    ]);
    expect(await credentials.certificate()).toBeUndefined();
    expect(runs()).toBe(1);
    expect(credentials.refused()).toBe(true);
    expect(credentials.refused()).toBe(false);
    await credentials.authorization();
    expect(runs()).toBe(2);
    await clock.advance(61_000);
    await credentials.authorization();
    expect(runs()).toBe(3);
  });

  it('passes its environment and returns certificates', async () => {
    const script = `const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO); console.log(JSON.stringify({ apiVersion: info.apiVersion, kind: info.kind, status: { clientCertificateData: process.env.WHO, clientKeyData: String(info.spec.interactive) } }))`;
    const credentials = execCredentials(plugin(script, { WHO: 'me' }), clock);
    expect(await credentials.certificate()).toEqual({ cert: 'me', key: 'false' });
    expect(await credentials.authorization()).toBeUndefined();
  });

  it.each([
    ['fails', 'process.stderr.write("no login"); process.exit(3)', 'no login'],
    ['prints no JSON', 'console.log("hello")', 'did not print JSON'],
    ['prints something else', 'console.log("{}")', 'did not print an ExecCredential'],
    ['gives nothing', print({}), 'neither a token nor a certificate'],
    ['gives half a certificate', print({ clientKeyData: 'k' }), 'only one of certificate and key'],
  ])('reports that the program %s', async (_name, script, message) => {
    await expect(execCredentials(plugin(script), clock).authorization()).rejects.toThrow(message);
  });

  it('prints the hint when the program is missing', async () => {
    const credentials = execCredentials(
      { apiVersion, command: 'no-such-plugin', installHint: 'install it from here' },
      clock,
    );
    await expect(credentials.authorization()).rejects.toThrow(/executable not found\ninstall it from here/);
  });
});

describe('inClusterConfig', () => {
  it('reads the mounted service account', async () => {
    const mounted = fs.mkdtempSync(path.join(directory, 'sa-'));
    for (const [name, text] of Object.entries({ token: 'tok', 'ca.crt': 'CA', namespace: 'team\n' }))
      fs.writeFileSync(path.join(mounted, name), text);
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const loaded = await inClusterConfig({ clock, environment, directory: mounted });
    expect(loaded).toMatchObject({ server: 'https://[fd00::1]:443', ca: 'CA', namespace: 'team' });
    expect(await loaded.credentials.authorization()).toBe('Bearer tok');
    await expect(inClusterConfig({ clock, environment: {} })).rejects.toThrow('not running in a cluster');
  });
});
