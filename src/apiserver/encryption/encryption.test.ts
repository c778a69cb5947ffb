import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../etcd/index.ts';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import { loadEncryption } from './configuration.ts';
import { EncryptionAtRest } from './encryption-at-rest.ts';
import { openEncryption } from './open-encryption.ts';
import { reencryptAll } from './reencrypt.ts';
import { openSecretbox, sealSecretbox } from './secretbox.ts';

const KEY_A = Buffer.alloc(32, 'a').toString('base64');
const KEY_B = Buffer.alloc(32, 'b').toString('base64');
const PLACE = '/registry/secrets/default/s';
const VALUE = Buffer.from('{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"p":"aHVudGVyMg=="}}');

let ctx: TestContext;
beforeEach(() => (ctx = createTestContext()));
afterEach(() => ctx.stop());

const keys = (...pairs: [string, string][]): object => ({ keys: pairs.map(([name, secret]) => ({ name, secret })) });

const config = (providers: readonly object[], resources: readonly string[] = ['secrets']): string =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources, providers }],
  });

const encryption = (...args: Parameters<typeof config>): EncryptionAtRest =>
  new EncryptionAtRest(loadEncryption(ctx, config(...args)).chainOf);

describe('providers', () => {
  it.each(['aesgcm', 'aescbc', 'secretbox'])('%s encrypts and decrypts, with its prefix', async (name) => {
    const transformer = encryption([{ [name]: keys(['key1', KEY_A]) }]);
    const stored = await transformer.toStorage(VALUE, PLACE);
    expect(stored.subarray(0, 64).toString('latin1')).toMatch(new RegExp(`^k8s:enc:${name}:v1:key1:`));
    expect(stored.toString('latin1')).not.toContain('aHVudGVyMg');
    expect(transformer.fromStorage(stored, PLACE)).toEqual({ value: VALUE, stale: false });
    expect(await transformer.toStorage(VALUE, PLACE)).not.toEqual(stored);
  });

  it.each(['aesgcm', 'secretbox'])('%s notices a changed byte', async (name) => {
    const transformer = encryption([{ [name]: keys(['key1', KEY_A]) }]);
    const stored = await transformer.toStorage(VALUE, PLACE);
    stored[stored.length - 3]! ^= 1;
    expect(() => transformer.fromStorage(stored, PLACE)).toThrow();
  });

  it('aesgcm does not decrypt values that were moved to another key', async () => {
    const transformer = encryption([{ aesgcm: keys(['key1', KEY_A]) }]);
    const stored = await transformer.toStorage(VALUE, PLACE);
    expect(() => transformer.fromStorage(stored, '/registry/secrets/kube-system/s')).toThrow();
  });

  describe('secretbox', () => {
    const key = Buffer.from('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389', 'hex');
    const nonce = Buffer.from('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37', 'hex');
    const message = Buffer.from(
      'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705',
      'hex',
    );
    const sealed =
      'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5';

    it.each([
      ['the published vector of NaCl', message, sealed],
      ['an empty value', Buffer.alloc(0), '2539121d8e234e652d651fa4c8cff880'],
    ])('stores the nonce, the tag and the ciphertext: %s', (_name, value, expected) => {
      const stored = sealSecretbox(key, nonce, value);
      expect(stored.toString('hex')).toBe(nonce.toString('hex') + expected);
      expect(openSecretbox(key, stored)).toEqual(value);
    });

    it.each([
      ['a changed nonce', 0],
      ['a changed tag', 24],
      ['a changed ciphertext', 40],
    ])('refuses %s', (_name, at) => {
      const stored = sealSecretbox(key, nonce, message);
      stored[at]! ^= 1;
      expect(() => openSecretbox(key, stored)).toThrow('the stored data was not sealed with this key');
    });

    it('refuses values that are too short', () => {
      expect(() => openSecretbox(key, Buffer.alloc(39))).toThrow('the stored data was shorter than the required size');
    });
  });

  it('identity stores plain text and refuses encrypted values', () => {
    const transformer = encryption([{ identity: {} }, { aesgcm: keys(['key1', KEY_A]) }]);
    expect(transformer.toStorage(VALUE, PLACE)).toEqual(VALUE);
    expect(transformer.fromStorage(VALUE, PLACE).stale).toBe(false);
    expect(() => encryption([{ identity: {} }]).fromStorage(Buffer.from('k8s:enc:aesgcm:v1:key1:xx'), PLACE)).toThrow(
      'no matching prefix found',
    );
  });
});

describe('rotation', () => {
  it('decrypts with older keys and other providers, and reports stale values', async () => {
    const old = encryption([{ aescbc: keys(['old', KEY_A]) }]);
    const both = encryption([
      { aesgcm: keys(['new', KEY_B], ['older', KEY_A]) },
      { aescbc: keys(['old', KEY_A]) },
      { identity: {} },
    ]);
    expect(both.fromStorage(await old.toStorage(VALUE, PLACE), PLACE)).toEqual({ value: VALUE, stale: true });
    expect(
      both.fromStorage(await encryption([{ aesgcm: keys(['older', KEY_A]) }]).toStorage(VALUE, PLACE), PLACE).stale,
    ).toBe(true);
    expect(both.fromStorage(VALUE, PLACE).stale).toBe(true);
    expect((await both.toStorage(VALUE, PLACE)).toString('latin1')).toMatch(/^k8s:enc:aesgcm:v1:new:/);
  });

  it('re-encrypts stale values, and only those', async () => {
    const store: MemoryStore = createMemoryStore({ clock: ctx.clock });
    const put = (key: string, value: Buffer) => store.txn({ compare: [], success: [{ op: 'put', key, value }] });
    const transformer = encryption([{ aesgcm: keys(['new', KEY_B]) }, { identity: {} }]);
    await put(PLACE, VALUE);
    await put('/registry/secrets/default/t', await transformer.toStorage(VALUE, '/registry/secrets/default/t'));
    await put('/registry/configmaps/default/c', Buffer.from('{}'));
    expect(await reencryptAll(store, transformer)).toEqual({ seen: 3, rewritten: 1 });
    expect(await reencryptAll(store, transformer)).toEqual({ seen: 3, rewritten: 0 });
    const { kvs } = await store.range({ key: PLACE });
    expect(transformer.fromStorage(kvs[0]!.value, PLACE)).toEqual({ value: VALUE, stale: false });
    await store.close();
  });
});

describe('which resources', () => {
  const rows = [
    { pattern: 'secrets', key: PLACE, encrypted: true },
    { pattern: 'secrets', key: '/registry/configmaps/default/c', encrypted: false },
    { pattern: 'deployments.apps', key: '/registry/deployments/default/d', encrypted: true },
    { pattern: '*.apps', key: '/registry/deployments/default/d', encrypted: true },
    { pattern: '*.', key: '/registry/services/specs/default/s', encrypted: true },
    { pattern: '*.', key: '/registry/deployments/default/d', encrypted: false },
    { pattern: '*.*', key: '/registry/minions/n', encrypted: true },
    { pattern: 'widgets.example.com', key: '/registry/example.com/widgets/default/w', encrypted: true },
  ];
  it.each(rows)('$pattern on $key: $encrypted', async ({ pattern, key, encrypted }) => {
    const stored = await encryption([{ aesgcm: keys(['key1', KEY_A]) }], [pattern]).toStorage(VALUE, key);
    expect(stored.equals(VALUE)).toBe(!encrypted);
  });
});

describe('the configuration', () => {
  const refused = [
    { name: 'a key of the wrong length', providers: [{ aesgcm: keys(['k', 'c2hvcnQ=']) }], message: 'got 5' },
    { name: 'no keys', providers: [{ aescbc: { keys: [] } }], message: 'at least one key must be provided' },
    {
      name: 'two providers in one',
      providers: [{ aescbc: keys(['k', KEY_A]), identity: {} }],
      message: 'exactly one of',
    },
    {
      name: 'KMS v1',
      providers: [{ kms: { apiVersion: 'v1', name: 'a', endpoint: 'unix:///a' } }],
      message: 'only v2 is supported',
    },
    {
      name: 'a KMS elsewhere',
      providers: [{ kms: { apiVersion: 'v2', name: 'a', endpoint: 'tcp://a' } }],
      message: 'it must be unix',
    },
  ];
  it.each(refused)('refuses $name without showing a key', ({ providers, message }) => {
    let error: unknown;
    try {
      loadEncryption(ctx, config(providers));
    } catch (thrown) {
      error = thrown;
    }
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain('c2hvcnQ=');
  });

  it('is created at the first start, readable by the owner only, and reloaded every minute', async () => {
    const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-encryption-'));
    const file = path.join(directory, 'pki', 'encryption-config.yaml');
    const { transformer } = await openEncryption(ctx, file);
    expect((await fs.stat(file)).mode & 0o777).toBe(0o600);
    const stored = await transformer.toStorage(VALUE, PLACE);
    expect(stored.toString('latin1')).toMatch(/^k8s:enc:aesgcm:v1:key1:/);
    expect((await openEncryption(ctx, file)).transformer.fromStorage(stored, PLACE).value).toEqual(VALUE);

    await fs.writeFile(file, 'nonsense');
    const again = await openEncryption(ctx, file).catch((error: unknown) => error);
    expect(again).toBeInstanceOf(Error);
    expect(transformer.fromStorage(stored, PLACE).value).toEqual(VALUE);

    await fs.writeFile(file, config([{ secretbox: keys(['two', KEY_B]) }]));
    const reopened = await openEncryption(ctx, file);
    await fs.writeFile(file, config([{ secretbox: keys(['three', KEY_A], ['two', KEY_B]) }]));
    expect(await reopened.reload()).toBe(true);
    expect((await reopened.transformer.toStorage(VALUE, PLACE)).toString('latin1')).toMatch(
      /^k8s:enc:secretbox:v1:three:/,
    );
    await fs.rm(directory, { recursive: true });
  });
});
