/** Reads a CredentialProviderConfig: which plugin provides credentials for which images. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { isRecord, parseDuration } from '../../../base/index.ts';

export interface ProviderConfig {
  readonly name: string;
  readonly matchImages: readonly string[];
  readonly defaultCacheMs: number;
  readonly apiVersion: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly tokenAttributes?: TokenAttributes;
}

/** For providers that authenticate with a token of the pod's service account. */
export interface TokenAttributes {
  readonly audience: string;
  readonly cacheType: 'ServiceAccount' | 'Token';
  readonly required: boolean;
  readonly requiredAnnotations: readonly string[];
  readonly optionalAnnotations: readonly string[];
}

export class CredentialProviderConfigError extends Error {
  override readonly name = 'CredentialProviderConfigError';
  readonly code = 'credential-provider-config';
}

const API_VERSIONS = ['kubelet.config.k8s.io/v1', 'kubelet.config.k8s.io/v1beta1', 'kubelet.config.k8s.io/v1alpha1'];
const PROVIDER_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map(
  (version) => `credentialprovider.kubelet.k8s.io/${version}`,
);
const FILES = /\.(json|yaml|yml)$/;

/** Reads a file, or all files of a directory in lexical order. */
export async function loadProviderConfig(location: string): Promise<ProviderConfig[]> {
  const isDirectory = (await fs.stat(location)).isDirectory();
  const files = isDirectory
    ? (await fs.readdir(location))
        .filter((name) => FILES.test(name))
        .toSorted()
        .map((name) => path.join(location, name))
    : [location];
  if (files.length === 0)
    throw new CredentialProviderConfigError(`no configuration files found in ${JSON.stringify(location)}`);
  const providers = (
    await Promise.all(files.map(async (file) => readProviders(await fs.readFile(file, 'utf8'), file)))
  ).flat();
  const names = providers.map(({ name }) => name);
  const duplicate = names.find((name, i) => names.indexOf(name) !== i);
  if (duplicate !== undefined)
    throw new CredentialProviderConfigError(`providers.name: Duplicate value: ${JSON.stringify(duplicate)}`);
  return providers;
}

function readProviders(text: string, file: string): ProviderConfig[] {
  const document: unknown = parse(text);
  if (!isRecord(document) || document['kind'] !== 'CredentialProviderConfig')
    throw new CredentialProviderConfigError(
      `failed to decode config ${JSON.stringify(file)}: it holds no CredentialProviderConfig`,
    );
  if (!API_VERSIONS.includes(String(document['apiVersion'])))
    throw new CredentialProviderConfigError(
      `no kind "CredentialProviderConfig" is registered for version ${JSON.stringify(document['apiVersion'])}`,
    );
  const providers = document['providers'];
  if (!Array.isArray(providers) || providers.length === 0)
    throw new CredentialProviderConfigError('providers: Required value: at least 1 item in plugins is required');
  return providers.map((provider) => readProvider(isRecord(provider) ? provider : {}));
}

function readProvider(given: Readonly<Record<string, unknown>>): ProviderConfig {
  const name = String(given['name'] ?? '');
  const matchImages = texts(given['matchImages']);
  const apiVersion = String(given['apiVersion'] ?? '');
  if (name === '') throw new CredentialProviderConfigError('providers.name: Required value: name is required');
  if (/[/\s]/.test(name) || name === '.' || name === '..')
    throw new CredentialProviderConfigError(
      `providers.name: Invalid value: ${JSON.stringify(name)}: name cannot contain path separators or spaces, or be '.' or '..'`,
    );
  if (matchImages.length === 0)
    throw new CredentialProviderConfigError('providers.matchImages: Required value: at least 1 item is required');
  if (given['defaultCacheDuration'] === undefined)
    throw new CredentialProviderConfigError(
      'providers.defaultCacheDuration: Required value: defaultCacheDuration is required',
    );
  const defaultCacheMs = parseDuration(String(given['defaultCacheDuration']));
  if (defaultCacheMs < 0)
    throw new CredentialProviderConfigError(
      'providers.defaultCacheDuration: Invalid value: defaultCacheDuration must be greater than or equal to 0',
    );
  if (!PROVIDER_VERSIONS.includes(apiVersion))
    throw new CredentialProviderConfigError(
      `providers.apiVersion: Unsupported value: ${JSON.stringify(apiVersion)}: supported values: ${PROVIDER_VERSIONS.map((version) => JSON.stringify(version)).join(', ')}`,
    );
  const env = (Array.isArray(given['env']) ? given['env'] : [])
    .filter(isRecord)
    .map((one) => ({ name: String(one['name']), value: String(one['value'] ?? '') }));
  const attributes = given['tokenAttributes'];
  return {
    name,
    matchImages,
    defaultCacheMs,
    apiVersion,
    args: texts(given['args']),
    env,
    ...(isRecord(attributes) ? { tokenAttributes: readTokenAttributes(attributes) } : {}),
  };
}

function readTokenAttributes(given: Readonly<Record<string, unknown>>): TokenAttributes {
  const audience = String(given['serviceAccountTokenAudience'] ?? '');
  const cacheType = given['cacheType'];
  if (audience === '')
    throw new CredentialProviderConfigError(
      'providers.tokenAttributes.serviceAccountTokenAudience: Required value: serviceAccountTokenAudience is required',
    );
  if (cacheType !== 'ServiceAccount' && cacheType !== 'Token')
    throw new CredentialProviderConfigError(
      `providers.tokenAttributes.cacheType: Unsupported value: ${JSON.stringify(cacheType ?? '')}: supported values: "ServiceAccount", "Token"`,
    );
  if (typeof given['requireServiceAccount'] !== 'boolean')
    throw new CredentialProviderConfigError(
      'providers.tokenAttributes.requireServiceAccount: Required value: requireServiceAccount is required',
    );
  return {
    audience,
    cacheType,
    required: given['requireServiceAccount'],
    requiredAnnotations: texts(given['requiredServiceAccountAnnotationKeys']),
    optionalAnnotations: texts(given['optionalServiceAccountAnnotationKeys']),
  };
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
