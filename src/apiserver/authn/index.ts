/**
 * Authentication. `build.ts` puts the authenticators in order: front proxy (request headers), client certificate, bearer
 * token (static token file, ServiceAccount, bootstrap token, OIDC, webhook), anonymous. ServiceAccount tokens, bound and
 * legacy, are in `service-account-tokens.ts`. `configuration.ts` reads an AuthenticationConfiguration; impersonation is in
 * `impersonation.ts`.
 */
export { InvalidTokenError, type Annotate, type Authenticator, type TokenAuthenticator } from './authenticator.ts';
export { BearerTokens } from './bearer-tokens.ts';
export { buildAuthentication, type Authentication, type AuthenticationOptions } from './build.ts';
export { authenticationFromConfiguration } from './configuration.ts';
export { issuerDiscoveryEndpoints } from './discovery-endpoints.ts';
export { Impersonation } from './impersonation.ts';
export { ServiceAccountTokens, type BoundObject } from './service-account-tokens.ts';
