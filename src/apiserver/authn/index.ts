/**
 * Who is asking. `build.ts` puts the authenticators in their order: front proxy, client certificate, bearer tokens (a file,
 * ServiceAccounts, bootstrap tokens, OIDC, a webhook), and at last nobody. `configuration.ts` reads an
 * AuthenticationConfiguration; `impersonation.ts` lets those who may act as somebody else.
 */
export {
  TokenRefused,
  type Annotate,
  type Authenticator,
  type TokenAnswer,
  type TokenAuthenticator,
} from './authenticator.ts';
export { BearerTokens } from './bearer-tokens.ts';
export { buildAuthentication, type Authentication, type AuthenticationOptions } from './build.ts';
export { authenticationFromConfiguration } from './configuration.ts';
export { issuerDiscoveryEndpoints } from './discovery-endpoints.ts';
export { Impersonation } from './impersonation.ts';
export { ServiceAccountTokens, type BoundObject, type TokenRequestOptions } from './service-account-tokens.ts';
