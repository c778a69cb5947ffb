/** Builds the authenticators of the server, in the order in which they are tried. */
import type { Context } from '../../kernel/index.ts';
import type { ServerKeys } from '../pki/files.ts';
import type { Registry } from '../registry/registry.ts';
import { AnonymousAuthenticator, type AnonymousConfig } from './anonymous.ts';
import type { Authenticator, TokenAuthenticator } from './authenticator.ts';
import { BearerTokens } from './bearer-tokens.ts';
import { BootstrapTokens } from './bootstrap-tokens.ts';
import { ClientCertificateAuthenticator } from './client-certificate.ts';
import { DEFAULT_REQUEST_HEADERS, RequestHeaderAuthenticator, type RequestHeaderConfig } from './request-header.ts';
import { ServiceAccountTokens, type ServiceAccountTokenOptions } from './service-account-tokens.ts';
import { StaticTokens } from './static-tokens.ts';

export interface AuthenticationOptions extends Pick<
  ServiceAccountTokenOptions,
  'otherIssuers' | 'jwksUri' | 'maxExpirationSeconds' | 'extendExpiration'
> {
  /** The issuer of ServiceAccount tokens, and their default audience. */
  readonly issuer?: string;
  readonly apiAudiences?: readonly string[];
  /** The trusted front proxies and their headers; kubeadm's values by default. */
  readonly requestHeaders?: Partial<Omit<RequestHeaderConfig, 'clientCa'>>;
  /** Public keys of earlier signing keys, whose tokens are still valid. */
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

export function buildAuthentication(
  ctx: Context,
  registry: Registry,
  pki: ServerKeys,
  options: AuthenticationOptions = {},
): Authentication {
  const issuer = options.issuer ?? ISSUER;
  const { privateKey, publicKey } = pki.serviceAccount;
  const { otherIssuers, jwksUri, maxExpirationSeconds, extendExpiration } = options;
  const serviceAccounts = new ServiceAccountTokens(ctx, registry, {
    privateKey,
    publicKeys: [publicKey, ...(options.serviceAccountKeys ?? [])],
    issuer,
    apiAudiences: options.apiAudiences ?? [issuer],
    ...(otherIssuers ? { otherIssuers } : {}),
    ...(jwksUri ? { jwksUri } : {}),
    ...(maxExpirationSeconds ? { maxExpirationSeconds } : {}),
    ...(extendExpiration === undefined ? {} : { extendExpiration }),
  });
  const bearerTokens = new BearerTokens(
    [
      ...(options.tokenFile === undefined ? [] : [new StaticTokens(options.tokenFile)]),
      serviceAccounts,
      ...(options.bootstrapTokens ? [new BootstrapTokens(ctx.clock, registry)] : []),
      ...(options.tokenAuthenticators ?? []),
    ],
    serviceAccounts.apiAudiences,
    ctx.logger,
  );
  const authenticators = [
    new RequestHeaderAuthenticator(ctx.clock, {
      clientCa: () => pki.frontProxyCa.certificate,
      ...DEFAULT_REQUEST_HEADERS,
      ...options.requestHeaders,
    }),
    new ClientCertificateAuthenticator(ctx, () => pki.ca.certificate),
    bearerTokens,
    new AnonymousAuthenticator(options.anonymous),
  ];
  return { authenticators, bearerTokens, serviceAccounts };
}
