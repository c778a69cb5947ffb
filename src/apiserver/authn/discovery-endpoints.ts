/** ServiceAccount issuer discovery: the OIDC discovery document and the JWKS, with which others verify the tokens. */
import type { Endpoint } from '../request/endpoint.ts';
import { checkAccept } from '../request/negotiate.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';

const JWKS_PATH = '/openid/v1/jwks';
const CACHE_CONTROL = 'public, max-age=3600';

export function issuerDiscoveryEndpoints(
  tokens: ServiceAccountTokens,
  serverAddress: () => string,
): readonly Endpoint[] {
  return [
    {
      path: '/.well-known/openid-configuration',
      serve({ request }) {
        checkAccept(request, 'application/json');
        const document = {
          issuer: tokens.issuer,
          jwks_uri: tokens.options.jwksUri ?? `https://${serverAddress()}${JWKS_PATH}`,
          response_types_supported: ['id_token'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: tokens.algorithms(),
        };
        return {
          status: 200,
          headers: { 'content-type': 'application/json', 'cache-control': CACHE_CONTROL },
          body: JSON.stringify(document),
        };
      },
    },
    {
      path: JWKS_PATH,
      async serve({ request }) {
        checkAccept(request, 'application/jwk-set+json');
        const body = JSON.stringify(await tokens.jwks());
        return {
          status: 200,
          headers: { 'content-type': 'application/jwk-set+json', 'cache-control': CACHE_CONTROL },
          body,
        };
      },
    },
  ];
}
