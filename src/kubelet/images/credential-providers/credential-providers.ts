/** Image credential provider plugins: registry credentials from exec plugins, cached as each response says. */
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../../api/generated/core-v1.ts';
import { ownValue } from '../../../base/index.ts';
import type { Client } from '../../../client/index.ts';
import type { AuthConfig } from '../../../cri/index.ts';
import { childContext, type Context } from '../../../kernel/index.ts';
import type { TokenManager } from '../../volumes/token-manager.ts';
import { parseImage } from '../image-reference.ts';
import { matchRegistry } from '../match-registry.ts';
import { execProvider, type ProviderAnswer, type ProviderRequest } from './exec-provider.ts';
import {
  CredentialProviderConfigError,
  loadProviderConfig,
  type ProviderConfig,
  type TokenAttributes,
} from './provider-config.ts';

interface CredentialProvidersOptions {
  /** `--image-credential-provider-config`: a file, or a directory of files. */
  readonly config: string;
  /** `--image-credential-provider-bin-dir` */
  readonly binDirectory: string;
  readonly client: Client;
  readonly tokens: Pick<TokenManager, 'token'>;
}

interface Cached {
  readonly auth: ProviderAnswer['auth'];
  readonly expiresAt: number;
}

interface Identity {
  /** Separates the cache entries of different service accounts or tokens. */
  readonly key: string;
  readonly token: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const NO_IDENTITY: Identity = { key: '', token: '', annotations: {} };

export class CredentialProviders {
  readonly #ctx: Context;
  readonly #options: CredentialProvidersOptions;
  readonly #providers: readonly ProviderConfig[];
  readonly #cache = new Map<string, Cached>();
  /** Concurrent pulls of one image share a call of the plugin. */
  readonly #inFlight = new Map<string, Promise<ProviderAnswer['auth']>>();

  private constructor(ctx: Context, options: CredentialProvidersOptions, providers: readonly ProviderConfig[]) {
    this.#ctx = childContext(ctx, 'credential-providers');
    this.#options = options;
    this.#providers = providers;
  }

  /** Throws when the configuration is invalid or a plugin binary is missing. */
  static async open(ctx: Context, options: CredentialProvidersOptions): Promise<CredentialProviders> {
    const providers = await loadProviderConfig(options.config);
    for (const { name } of providers) {
      const program = path.join(options.binDirectory, name);
      await fs.access(program, fs.constants.X_OK).catch(() => {
        throw new CredentialProviderConfigError(`plugin binary executable ${program} did not exist`);
      });
    }
    return new CredentialProviders(ctx, options, providers);
  }

  /**
   * Credentials of all providers for the image, the most specific first. A provider that fails is logged and skipped.
   */
  async credentialsFor(image: string, pod: Pod): Promise<AuthConfig[]> {
    const { domain, path: repository } = parseImage(image);
    const name = `${domain}/${repository}`;
    const found: { readonly specificity: number; readonly auth: AuthConfig }[] = [];
    for (const provider of this.#providers) {
      if (!provider.matchImages.some((pattern) => matchRegistry(pattern, name) !== undefined)) continue;
      try {
        for (const [pattern, { username, password }] of Object.entries(await this.#authFrom(provider, name, pod))) {
          const specificity = matchRegistry(pattern, name);
          if (specificity !== undefined)
            found.push({ specificity, auth: { username, password, serverAddress: domain } });
        }
      } catch (error) {
        this.#ctx.logger.error(error, 'Failed to get credentials from a plugin', {
          plugin: provider.name,
          image: name,
        });
      }
    }
    return found.toSorted((a, b) => b.specificity - a.specificity).map(({ auth }) => auth);
  }

  async #authFrom(provider: ProviderConfig, image: string, pod: Pod): Promise<ProviderAnswer['auth']> {
    const identity =
      provider.tokenAttributes === undefined ? NO_IDENTITY : await this.#identity(provider.tokenAttributes, pod);
    // The provider requires a service account and the pod has none that qualifies.
    if (identity === undefined) return {};
    const registry = parseImage(image).domain;
    for (const key of [image, registry, 'global']) {
      const cached = this.#cache.get(cacheKey(provider, identity, key));
      if (cached !== undefined && cached.expiresAt > this.#ctx.clock.monotonic()) return cached.auth;
    }
    const key = cacheKey(provider, identity, image);
    const pending =
      this.#inFlight.get(key) ?? this.#exec(provider, image, identity).finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, pending);
    return pending;
  }

  async #exec(provider: ProviderConfig, image: string, identity: Identity): Promise<ProviderAnswer['auth']> {
    const { clock, signal } = this.#ctx;
    const request: ProviderRequest = {
      image,
      ...(identity.token === ''
        ? {}
        : { serviceAccountToken: identity.token, serviceAccountAnnotations: identity.annotations }),
    };
    const { auth, cacheKeyType, cacheMs } = await execProvider(
      path.join(this.#options.binDirectory, provider.name),
      provider,
      request,
      signal,
    );
    const cacheForMs = cacheMs ?? provider.defaultCacheMs;
    const now = clock.monotonic();
    for (const [key, { expiresAt }] of this.#cache) if (expiresAt <= now) this.#cache.delete(key);
    const key = cacheKeyType === 'Image' ? image : cacheKeyType === 'Registry' ? parseImage(image).domain : 'global';
    if (cacheForMs > 0) this.#cache.set(cacheKey(provider, identity, key), { auth, expiresAt: now + cacheForMs });
    return auth;
  }

  async #identity(
    { audience, cacheType, required, requiredAnnotations, optionalAnnotations }: TokenAttributes,
    pod: Pod,
  ): Promise<Identity | undefined> {
    const { namespace = '' } = pod.metadata;
    const name = pod.spec?.serviceAccountName ?? '';
    if (name === '') return required ? undefined : NO_IDENTITY;
    const { signal } = this.#ctx;
    const account = await this.#options.client.resource('v1/serviceaccounts').get({ namespace, name }, { signal });
    const annotations = account.metadata.annotations ?? {};
    if (requiredAnnotations.some((key) => ownValue(annotations, key) === undefined))
      return required ? undefined : NO_IDENTITY;
    const selected = Object.fromEntries(
      [...requiredAnnotations, ...optionalAnnotations].flatMap((key) =>
        Object.hasOwn(annotations, key) ? [[key, ownValue(annotations, key)!]] : [],
      ),
    );
    const { token } = await this.#options.tokens.token(pod, { audience });
    const subject =
      cacheType === 'Token'
        ? createHash('sha256').update(token).digest('hex')
        : `${namespace}/${name}/${account.metadata.uid}`;
    return { key: `${subject} ${JSON.stringify(selected)}`, token, annotations: selected };
  }
}

const cacheKey = ({ name }: ProviderConfig, { key }: Identity, subject: string): string =>
  JSON.stringify([name, key, subject]);
