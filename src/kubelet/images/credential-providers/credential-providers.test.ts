import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Pod } from '../../../api/generated/core-v1.ts';
import type { Client } from '../../../client/index.ts';
import { createTestContext, type TestContext } from '../../../kernel/index.ts';
import { CredentialProviders } from './credential-providers.ts';
import { loadProviderConfig } from './provider-config.ts';

let ctx: TestContext;
let directory: string;
const POD: Pod = {
  metadata: { name: 'p', namespace: 'ns', uid: 'u' },
  spec: { serviceAccountName: 'robot', containers: [] },
};

beforeEach(async () => {
  ctx = createTestContext();
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-credentials-'));
});
afterEach(() => fs.rm(directory, { recursive: true, force: true }));

/** A program that notes what it is asked, and answers the same each time. */
async function program(name: string, answer: object | string): Promise<void> {
  const text =
    typeof answer === 'string'
      ? answer
      : JSON.stringify({
          kind: 'CredentialProviderResponse',
          apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
          ...answer,
        });
  await fs.writeFile(
    path.join(directory, name),
    `#!/bin/sh\ncat >> "${directory}/${name}.asked"; echo " $* $TOKEN_KIND" >> "${directory}/${name}.asked"\n${typeof answer === 'string' ? answer : `cat <<'END'\n${text}\nEND`}\n`,
    { mode: 0o755 },
  );
}
const asked = async (name: string): Promise<string[]> =>
  (await fs.readFile(path.join(directory, `${name}.asked`), 'utf8').catch(() => ''))
    .trim()
    .split('\n')
    .filter((line) => line !== '');

async function open(providers: readonly object[]): Promise<CredentialProviders> {
  const config = path.join(directory, 'config.json');
  const complete = providers.map((provider) => ({
    defaultCacheDuration: '10m',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    matchImages: ['*.example.com'],
    ...provider,
  }));
  await fs.writeFile(
    config,
    JSON.stringify({ apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig', providers: complete }),
  );
  const client = {
    resource: () => ({
      get: () =>
        Promise.resolve({ metadata: { uid: 'sa-1', annotations: { 'example.com/role': 'reader', other: 'x' } } }),
    }),
  } as unknown as Client;
  return CredentialProviders.open(ctx, {
    config,
    binDirectory: directory,
    client,
    tokens: {
      token: (_, { audience }) => Promise.resolve({ token: `token for ${audience}`, refreshAt: 0, expiresAt: 0 }),
    },
  });
}

describe('credential providers', () => {
  it('get a versioned request, and the best matches come first', async () => {
    await program('one', {
      cacheKeyType: 'Registry',
      auth: {
        '*.example.com': { username: 'all', password: '1' },
        'reg.example.com/team': { username: 'team', password: '2' },
        'other.example.com': { username: 'no', password: '3' },
      },
    });
    const providers = await open([{ name: 'one', args: ['--get'], env: [{ name: 'TOKEN_KIND', value: 'short' }] }]);
    expect(await providers.credentialsFor('reg.example.com/team/app:v1', POD)).toEqual([
      { username: 'team', password: '2', serverAddress: 'reg.example.com' },
      { username: 'all', password: '1', serverAddress: 'reg.example.com' },
    ]);
    expect(await asked('one')).toEqual([
      '{"kind":"CredentialProviderRequest","apiVersion":"credentialprovider.kubelet.k8s.io/v1","image":"reg.example.com/team/app"} --get short',
    ]);
    expect(await providers.credentialsFor('docker.io/library/busybox', POD)).toEqual([]);
    expect(await asked('one')).toHaveLength(1);
  });

  it.each([
    ['Image', 2],
    ['Registry', 1],
    ['Global', 1],
  ])('responses by %s are cached: %d calls for two images', async (cacheKeyType, calls) => {
    await program('one', { cacheKeyType, cacheDuration: '1m', auth: {} });
    const providers = await open([{ name: 'one' }]);
    for (const image of ['a.example.com/x', 'a.example.com/y', 'a.example.com/x'])
      await providers.credentialsFor(image, POD);
    expect(await asked('one')).toHaveLength(calls);
    await ctx.clock.advance(61_000);
    await providers.credentialsFor('a.example.com/x', POD);
    expect(await asked('one')).toHaveLength(calls + 1);
  });

  it('responses without a duration are not cached, but concurrent pulls share one', async () => {
    await program('one', { cacheKeyType: 'Image', cacheDuration: '0s', auth: {} });
    const providers = await open([{ name: 'one' }]);
    await Promise.all([1, 2, 3].map(() => providers.credentialsFor('a.example.com/x', POD)));
    await providers.credentialsFor('a.example.com/x', POD);
    expect(await asked('one')).toHaveLength(2);
  });

  it('that fail are left out', async () => {
    await program('broken', 'echo no luck >&2; exit 3');
    await program('old', { apiVersion: 'credentialprovider.kubelet.k8s.io/v1beta1', cacheKeyType: 'Image', auth: {} });
    await program('good', { cacheKeyType: 'Image', auth: { 'a.example.com': { username: 'u', password: 'p' } } });
    const providers = await open([{ name: 'broken' }, { name: 'old' }, { name: 'good' }]);
    expect(await providers.credentialsFor('a.example.com/x', POD)).toHaveLength(1);
    expect(ctx.logLines.join('\n')).toContain(
      'error execing credential provider plugin broken for image a.example.com/x: exit status 3: no luck',
    );
    expect(ctx.logLines.join('\n')).toContain(
      'did not match expected apiVersion:credentialprovider.kubelet.k8s.io/v1, actual apiVersion:credentialprovider.kubelet.k8s.io/v1beta1',
    );
  });

  it('get the token of the service account where they want it', async () => {
    await program('one', { cacheKeyType: 'Registry', auth: {} });
    const tokenAttributes = {
      serviceAccountTokenAudience: 'registry',
      cacheType: 'ServiceAccount',
      requireServiceAccount: true,
      requiredServiceAccountAnnotationKeys: ['example.com/role'],
    };
    const providers = await open([{ name: 'one', tokenAttributes }]);
    await providers.credentialsFor('a.example.com/x', POD);
    await providers.credentialsFor('a.example.com/x', {
      metadata: { name: 'static', namespace: 'ns', uid: 's' },
      spec: { containers: [] },
    });
    expect(
      (await asked('one')).map((line) => JSON.parse(line.slice(0, line.lastIndexOf('}') + 1)) as unknown),
    ).toMatchObject([
      { serviceAccountToken: 'token for registry', serviceAccountAnnotations: { 'example.com/role': 'reader' } },
    ]);
  });
});

describe('their configuration', () => {
  const entry = {
    name: 'one',
    matchImages: ['x'],
    defaultCacheDuration: '1m',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  };
  it.each([
    ['of another kind', { kind: 'Pod' }, 'it holds no CredentialProviderConfig'],
    [
      'of another version',
      { apiVersion: 'kubelet.config.k8s.io/v9' },
      'no kind "CredentialProviderConfig" is registered for version "kubelet.config.k8s.io/v9"',
    ],
    ['without providers', { providers: [] }, 'at least 1 item in plugins is required'],
    ['with a path', { providers: [{ ...entry, name: '../one' }] }, 'name cannot contain path separators'],
    ['for no images', { providers: [{ ...entry, matchImages: [] }] }, 'providers.matchImages: Required value'],
    [
      'without a duration',
      { providers: [{ ...entry, defaultCacheDuration: undefined }] },
      'defaultCacheDuration is required',
    ],
    ['in words that nobody speaks', { providers: [{ ...entry, apiVersion: 'v2' }] }, 'Unsupported value: "v2"'],
    ['of one twice', { providers: [entry, entry] }, 'Duplicate value: "one"'],
  ])('%s is refused', async (_, change, message) => {
    const file = path.join(directory, 'config.yaml');
    await fs.writeFile(
      file,
      JSON.stringify({
        apiVersion: 'kubelet.config.k8s.io/v1',
        kind: 'CredentialProviderConfig',
        providers: [entry],
        ...change,
      }),
    );
    await expect(loadProviderConfig(file)).rejects.toThrow(message);
  });

  it('may be a directory; its programs must be there', async () => {
    for (const name of ['b', 'a'])
      await fs.writeFile(
        path.join(directory, `${name}.json`),
        JSON.stringify({
          apiVersion: 'kubelet.config.k8s.io/v1',
          kind: 'CredentialProviderConfig',
          providers: [{ ...entry, name }],
        }),
      );
    expect((await loadProviderConfig(directory)).map(({ name }) => name)).toEqual(['a', 'b']);
    await expect(open([{ name: 'missing' }])).rejects.toThrow(
      `plugin binary executable ${directory}/missing did not exist`,
    );
  });
});
