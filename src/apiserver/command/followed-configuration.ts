/** Configurations of authentication and authorization in files, which a server takes over while it runs when they change. */
import { createHash } from 'node:crypto';
import { deepEqual } from '../../base/index.ts';
import { followFiles, type Context, type FollowedFiles } from '../../kernel/index.ts';
import type { Annotate, TokenAuthenticator, TokenResponse } from '../authn/authenticator.ts';
import type { AuthenticationOptions } from '../authn/build.ts';
import { authenticationFromConfiguration } from '../authn/configuration.ts';
import type { AuthorizerConfig } from '../authz/build.ts';
import { authorizersFromConfiguration } from '../authz/configuration.ts';
import { apiServerId } from '../server.ts';

interface ConfigurationFile<Value> {
  readonly kind: 'authentication' | 'authorization';
  readonly file: string;
  /** `initial` is the value of the start, with which a later one must go together. The context ends with the value. */
  readonly parse: (ctx: Context, text: string, initial: Value | undefined) => Value | Promise<Value>;
}

/** Requests in progress go on with the value that they began with. */
const IN_USE_MS = 60_000;

async function followConfiguration<Value>(
  ctx: Context,
  { kind, file, parse }: ConfigurationFile<Value>,
): Promise<FollowedFiles<Value>> {
  const metrics = new ReloadMetrics(ctx, kind);
  let initial: Value | undefined;
  let current = new AbortController();
  return followFiles(ctx, {
    name: `${kind}-config`,
    files: [file],
    parse: async ([text = '']) => {
      const own = new AbortController();
      try {
        const value = await parse({ ...ctx, signal: AbortSignal.any([ctx.signal, own.signal]) }, text, initial);
        const earlier = current;
        ctx.clock.after(IN_USE_MS, () => earlier.abort());
        current = own;
        initial ??= value;
        metrics.loaded(text);
        return value;
      } catch (error) {
        own.abort();
        throw error;
      }
    },
    onReload: (succeeded) => metrics.reloaded(succeeded),
  });
}

type ConfiguredAuthentication = Pick<AuthenticationOptions, 'tokenAuthenticators' | 'anonymous'>;

export const followAuthentication = (ctx: Context, file: string): Promise<FollowedFiles<ConfiguredAuthentication>> =>
  followConfiguration<ConfiguredAuthentication>(ctx, {
    kind: 'authentication',
    file,
    parse: (own, text, initial) => {
      const configured = authenticationFromConfiguration(own, text);
      if (initial && !deepEqual(initial.anonymous, configured.anonymous))
        throw new Error('anonymous: Forbidden: changed from initial configuration file');
      return configured;
    },
  });

/** What these need is there only if the server has started with them. */
const ONLY_FROM_START = ['Node', 'RBAC'];

export const followAuthorization = (ctx: Context, file: string): Promise<FollowedFiles<readonly AuthorizerConfig[]>> =>
  followConfiguration<readonly AuthorizerConfig[]>(ctx, {
    kind: 'authorization',
    file,
    parse: async (own, text, initial) => {
      const configs = await authorizersFromConfiguration(own, text);
      for (const { type } of configs)
        if (initial && ONLY_FROM_START.includes(type) && !initial.some((config) => config.type === type))
          throw new Error(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`);
      return configs;
    },
  });

/** The authenticators that the file has now. Each has its own issuer, so that one of them knows a token, or none. */
export class FollowedTokens implements TokenAuthenticator {
  readonly name = 'oidc';
  readonly #current: () => readonly TokenAuthenticator[];

  constructor(current: () => readonly TokenAuthenticator[]) {
    this.#current = current;
  }

  async authenticateToken(
    token: string,
    audiences: readonly string[],
    annotate: Annotate,
  ): Promise<TokenResponse | undefined> {
    for (const authenticator of this.#current()) {
      const response = await authenticator.authenticateToken(token, audiences, annotate);
      if (response) return response;
    }
    return undefined;
  }
}

const hashOf = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;

class ReloadMetrics {
  readonly #ctx: Context;
  readonly #server = hashOf(apiServerId());
  readonly #reloads;
  readonly #last;
  readonly #info;
  #hash: string | undefined;

  constructor(ctx: Context, kind: ConfigurationFile<unknown>['kind']) {
    const prefix = `apiserver_${kind}_config_controller`;
    const labels = ['status', 'apiserver_id_hash'] as const;
    this.#ctx = ctx;
    this.#reloads = ctx.metrics.counter({
      name: `${prefix}_automatic_reloads_total`,
      help: `Total number of automatic reloads of ${kind} configuration split by status and apiserver identity.`,
      labels,
    });
    this.#last = ctx.metrics.gauge({
      name: `${prefix}_automatic_reload_last_timestamp_seconds`,
      help: `Timestamp of the last automatic reload of ${kind} configuration split by status and apiserver identity.`,
      labels,
    });
    this.#info = ctx.metrics.gauge({
      name: `${prefix}_last_config_info`,
      help: `Information about the last applied ${kind} configuration with hash as label, split by apiserver identity.`,
      labels: ['apiserver_id_hash', 'hash'],
    });
  }

  loaded(text: string): void {
    const hash = hashOf(text);
    if (this.#hash !== undefined) this.#info.remove({ apiserver_id_hash: this.#server, hash: this.#hash });
    this.#hash = hash;
    this.#info.set(1, { apiserver_id_hash: this.#server, hash });
  }

  reloaded(succeeded: boolean): void {
    const labels = { status: succeeded ? 'success' : 'failure', apiserver_id_hash: this.#server };
    this.#reloads.inc(labels);
    this.#last.set(this.#ctx.clock.now() / 1000, labels);
  }
}
