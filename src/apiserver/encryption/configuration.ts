/** EncryptionConfiguration: reads which providers encrypt which resources. */
import { parse } from 'yaml';
import { parseDuration } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { aesCbcProvider, aesGcmProvider } from './aes.ts';
import type { ChainOf } from './encryption-at-rest.ts';
import { KmsProvider } from './kms/kms-provider.ts';
import { ProviderChain } from './provider-chain.ts';
import { identityProvider, type Provider } from './provider.ts';
import { secretboxProvider } from './secretbox.ts';

interface Keys {
  readonly keys?: readonly { readonly name?: string; readonly secret?: string }[];
}

interface ProviderConfig {
  readonly aesgcm?: Keys;
  readonly aescbc?: Keys;
  readonly secretbox?: Keys;
  readonly identity?: object;
  readonly kms?: {
    readonly apiVersion?: string;
    readonly name?: string;
    readonly endpoint?: string;
    readonly timeout?: string;
  };
}

interface Configuration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly resources?: readonly {
    readonly resources?: readonly string[];
    readonly providers?: readonly ProviderConfig[];
  }[];
}

export interface LoadedEncryption {
  readonly chainOf: ChainOf;
  /** The KMS providers, which have connections to close. */
  readonly kms: readonly KmsProvider[];
}

/** Throws an error that names the wrong field, and never contains a key. */
export function loadEncryption(ctx: Context, text: string): LoadedEncryption {
  const { apiVersion, kind, resources = [] } = (parse(text) ?? {}) as Configuration;
  if (kind !== 'EncryptionConfiguration' || apiVersion !== 'apiserver.config.k8s.io/v1') {
    throw new Error(`expected an EncryptionConfiguration of apiserver.config.k8s.io/v1, got ${kind} of ${apiVersion}`);
  }
  if (resources.length === 0) throw new Error('resources: Required value: resources must be set');
  const kms: KmsProvider[] = [];
  const entries: { pattern: string; chain: ProviderChain }[] = [];
  for (const [index, { resources: names = [], providers = [] }] of resources.entries()) {
    if (names.length === 0) throw new Error(`resources[${index}].resources: Required value: resources must be set`);
    if (providers.length === 0) throw new Error(`resources[${index}].providers: Required value: providers must be set`);
    const chain = new ProviderChain(
      providers.flatMap((provider, i) => providersFrom(ctx, provider, `resources[${index}].providers[${i}]`, kms)),
    );
    entries.push(...names.map((pattern) => ({ pattern, chain })));
  }
  return { chainOf: (resource) => entries.find(({ pattern }) => matches(pattern, resource))?.chain, kms };
}

/** A pattern is a resource, `*.group`, `*.` for the core group, or `*.*`. */
function matches(pattern: string, resource: string): boolean {
  if (pattern === '*.*' || pattern === resource) return true;
  if (!pattern.startsWith('*.')) return false;
  const dot = resource.indexOf('.');
  return pattern.slice(2) === (dot < 0 ? '' : resource.slice(dot + 1));
}

function providersFrom(ctx: Context, config: ProviderConfig, at: string, kms: KmsProvider[]): Provider[] {
  const given = Object.keys(config);
  if (given.length !== 1)
    throw new Error(
      `${at}: Invalid value: provider must contain exactly one of aesgcm, aescbc, secretbox, kms or identity`,
    );
  if (config.identity) return [identityProvider];
  if (config.aesgcm)
    return keysOf(config.aesgcm, `${at}.aesgcm`, [16, 24, 32]).map(({ name, key }) =>
      aesGcmProvider(ctx.random, name, key),
    );
  if (config.aescbc)
    return keysOf(config.aescbc, `${at}.aescbc`, [16, 24, 32]).map(({ name, key }) =>
      aesCbcProvider(ctx.random, name, key),
    );
  if (config.secretbox)
    return keysOf(config.secretbox, `${at}.secretbox`, [32]).map(({ name, key }) =>
      secretboxProvider(ctx.random, name, key),
    );
  if (!config.kms) throw new Error(`${at}: Invalid value: unknown provider ${given[0]}`);
  const provider = kmsFrom(ctx, config.kms, `${at}.kms`);
  kms.push(provider);
  return [provider];
}

function keysOf({ keys = [] }: Keys, at: string, sizes: readonly number[]): { name: string; key: Buffer }[] {
  if (keys.length === 0) throw new Error(`${at}.keys: Required value: at least one key must be provided`);
  return keys.map(({ name = '', secret = '' }, i) => {
    if (name === '') throw new Error(`${at}.keys[${i}].name: Required value: key name must be provided`);
    if (name.includes(':'))
      throw new Error(`${at}.keys[${i}].name: Invalid value: "${name}": key name must not contain ":"`);
    const key = Buffer.from(secret, 'base64');
    if (!sizes.includes(key.length))
      throw new Error(
        `${at}.keys[${i}].secret: Invalid value: "REDACTED": secret is not of the expected length, got ${key.length}, expected one of ${JSON.stringify(sizes)}`,
      );
    return { name, key };
  });
}

function kmsFrom(
  ctx: Context,
  { apiVersion = 'v2', name = '', endpoint = '', timeout }: NonNullable<ProviderConfig['kms']>,
  at: string,
): KmsProvider {
  if (apiVersion !== 'v2')
    throw new Error(`${at}.apiVersion: Unsupported value: "${apiVersion}": only v2 is supported`);
  if (name === '' || name.includes(':')) throw new Error(`${at}.name: Invalid value: "${name}"`);
  if (!endpoint.startsWith('unix://'))
    throw new Error(`${at}.endpoint: Invalid value: "${endpoint}": unsupported scheme, it must be unix`);
  return new KmsProvider(ctx, { name, endpoint, timeoutMs: timeout ? parseDuration(timeout) : 3000 });
}
