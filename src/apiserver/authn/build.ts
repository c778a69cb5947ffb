/** The authenticators of a server, in the order in which they are asked. */
import type { Context } from '../../kernel/index.ts';
import type { ClusterPki } from '../pki/files.ts';
import type { Registry } from '../registry/registry.ts';
import { AnonymousAuthenticator, type AnonymousConfig } from './anonymous.ts';
import type { Authenticator, TokenAuthenticator } from './authenticator.ts';
import { BearerTokens } from './bearer-tokens.ts';
import { BootstrapTokens } from './bootstrap-tokens.ts';
import { ClientCertificateAuthenticator } from './client-certificate.ts';
import { DEFAULT_REQUEST_HEADERS, RequestHeaderAuthenticator } from './request-header.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { StaticTokens } from './static-tokens.ts';

export interface AuthenticationOptions {
  /** Who signs ServiceAccount tokens, and whom they are for unless they say otherwise. */
  readonly issuer?: string;
  readonly apiAudiences?: readonly string[];
  /** PEM bundle of client CAs, read anew when it changes; the cluster's own CA without it. */
  readonly clientCa?: () => string;
  /** Public keys of earlier signing keys, whose tokens are still good. */
  readonly serviceAccountKeys?: readonly string[];
  /** The text of a --token-auth-file. */
  readonly tokenFile?: string;
  readonly bootstrapTokens?: boolean;
  readonly anonymous?: AnonymousConfig;
  /** OIDC providers, webhooks. */
  readonly tokenAuthenticators?: readonly TokenAuthenticator[];
}

export interface Authentication {
  readonly authenticators: readonly Authenticator[];
  readonly bearerTokens: BearerTokens;
  readonly serviceAccounts: ServiceAccountTokens;
}

const ISSUER = 'https://kubernetes.default.svc.cluster.local';

export function buildAuthentication(ctx: Context, registry: Registry, pki: ClusterPki, options: AuthenticationOptions = {}): Authentication {
  const issuer = options.issuer ?? ISSUER;
  const { privateKey, publicKey } = pki.serviceAccount;
  const keys = { privateKey, publicKeys: [publicKey, ...(options.serviceAccountKeys ?? [])] };
  const serviceAccounts = new ServiceAccountTokens(ctx, registry, keys, issuer, options.apiAudiences ?? [issuer]);
  const bearerTokens = new BearerTokens(
    [
      ...(options.tokenFile === undefined ? [] : [new StaticTokens(options.tokenFile)]),
      serviceAccounts,
      ...(options.bootstrapTokens ? [new BootstrapTokens(ctx.clock, registry)] : []),
      ...(options.tokenAuthenticators ?? []),
    ],
    serviceAccounts.apiAudiences,
  );
  const authenticators = [
    new RequestHeaderAuthenticator(ctx.clock, { clientCa: () => pki.frontProxyCa.certificate, ...DEFAULT_REQUEST_HEADERS }),
    new ClientCertificateAuthenticator(ctx.clock, options.clientCa ?? (() => pki.ca.certificate)),
    bearerTokens,
    new AnonymousAuthenticator(options.anonymous),
  ];
  return { authenticators, bearerTokens, serviceAccounts };
}
