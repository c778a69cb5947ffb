import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../kernel/index.ts';
import { endpointsOf, isLoopback } from './endpoints.ts';
import { parseHosts } from './hosts-directory.ts';
import { redirected } from './http-request.ts';

describe('hosts.toml', () => {
  const folder = mkdtempSync(join(tmpdir(), 'k8ts-hosts-'));
  beforeAll(() => {
    for (const name of ['ca.pem', 'cert.pem', 'key.pem']) writeFileSync(join(folder, name), name);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is read as containerd reads it', async () => {
    const text = `
      server = "https://registry.example"  # where all is
      [host."https://mirror.example/path"]
        capabilities = ["pull", "resolve", "push"]
        ca = "ca.pem"
        client = [["cert.pem", "key.pem"]]
        override_path = true
        [host."https://mirror.example/path".header]
          x-team = ["a", "b"]
      [host.'http://plain.example:5000']
        capabilities = ['pull']
        skip_verify = true
    `;
    expect(await parseHosts(text, folder)).toEqual({
      server: 'https://registry.example',
      settings: { headers: {}, plainHttp: true },
      mirrors: [
        {
          url: 'https://mirror.example/path',
          capabilities: ['pull', 'resolve'],
          ca: ['ca.pem'],
          clientCertificates: [{ certificate: 'cert.pem', key: 'key.pem' }],
          overridePath: true,
          headers: { 'x-team': 'a, b' },
          plainHttp: true,
        },
        { url: 'http://plain.example:5000', capabilities: ['pull'], skipVerify: true, headers: {}, plainHttp: true },
      ],
    });
  });

  it('is found by host, by host and port, and as the default', async () => {
    const hostsDirectory = join(folder, 'certs.d');
    for (const [name, server] of [
      ['a.example', 'https://one.example'],
      ['b.example_5000_', 'https://two.example'],
      ['_default', 'https://three.example'],
    ] as const) {
      mkdirSync(join(hostsDirectory, name), { recursive: true });
      writeFileSync(join(hostsDirectory, name, 'hosts.toml'), `server = "${server}"`);
    }
    const bases = async (domain: string): Promise<string[]> =>
      (await endpointsOf(domain, { hostsDirectory })).map(({ base }) => base);
    expect(await bases('a.example')).toEqual(['https://one.example/v2']);
    expect(await bases('b.example:5000')).toEqual(['https://two.example/v2']);
    expect(await bases('c.example')).toEqual(['https://three.example/v2']);
    writeFileSync(join(hostsDirectory, 'a.example', 'hosts.toml'), 'server = ');
    await expect(bases('a.example')).rejects.toThrow(/hosts.toml: line 1: Invalid TOML document: invalid value$/);
  });

  it('without settings: TLS, and plain HTTP only for loopback', async () => {
    expect(await endpointsOf('docker.io')).toMatchObject([
      { base: 'https://registry-1.docker.io/v2', mayFallBack: false, isMirror: false },
    ]);
    expect(await endpointsOf('registry.example:5000')).toMatchObject([
      { base: 'https://registry.example:5000/v2', mayFallBack: false },
    ]);
    expect(await endpointsOf('localhost:5000')).toMatchObject([
      { base: 'https://localhost:5000/v2', mayFallBack: true },
    ]);
    expect(
      await endpointsOf('localhost:5000', { hosts: { 'localhost:5000': { settings: { ca: ['x'] } } } }),
    ).toMatchObject([{ mayFallBack: false }]);
  });

  it.each([
    ['an open string', 'a = "b'],
    ['two values in a line', 'a = 1 b = 2'],
    ['an open table', '\n[a'],
    ['a value that becomes a table', 'a = 1\n[a.b]'],
    ['a host that is not a table', '[host]\na = 1'],
  ])('refuses %s', async (_name, text) => {
    await expect(parseHosts(text, '/')).rejects.toThrow();
  });

  it('accepts __proto__ as a name', async () => {
    await parseHosts('[__proto__]\npolluted = true', '/');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('credentials stay where they belong', () => {
  const request = {
    url: 'https://registry.example/v2/x',
    headers: { authorization: 'secret', range: 'bytes=1-' },
    settings: { headers: { 'x-key': 'secret' }, skipVerify: true },
    limit: { clock: new VirtualClock() },
  };
  it('on the same server', () => {
    expect(redirected(request, '/v2/y')).toEqual({ ...request, url: 'https://registry.example/v2/y' });
  });
  it.each(['https://cdn.example/y', 'https://registry.example:444/y', '//cdn.example/y'])('not on %s', (location) => {
    expect(redirected(request, location)).toMatchObject({
      headers: { range: 'bytes=1-' },
      settings: { skipVerify: true },
    });
    expect(JSON.stringify(redirected(request, location))).not.toContain('secret');
  });
  it.each(['http://cdn.example/y', 'file:///etc/passwd', 'ftp://x/y'])('and %s is not followed', (location) => {
    expect(() => redirected(request, location)).toThrow(/redirected to/);
  });
  it.each([
    ['localhost', true],
    ['127.5.5.5', true],
    ['[::1]', true],
    ['127.0.0.1.example', false],
    ['10.0.0.1', false],
  ] as const)('%s is loopback: %s', (host, loopback) => {
    expect(isLoopback(host)).toBe(loopback);
  });
});
