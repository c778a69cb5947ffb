/**
 * Authentication. `build.ts` puts the authenticators in order: front proxy (request headers), client certificate, bearer
 * token (static token file, ServiceAccount, bootstrap token, OIDC, webhook), anonymous. ServiceAccount tokens, bound and
 * legacy, are in `service-account-tokens.ts`. `configuration.ts` reads an AuthenticationConfiguration; impersonation is in
 * `impersonation.ts`.
 */
