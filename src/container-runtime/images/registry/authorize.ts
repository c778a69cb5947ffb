/** Authorizes requests to a registry: fetches a bearer token from its token server, or uses basic authentication. */
import type { IdleTimeout } from '../idle-timeout.ts';
import { ImageError } from '../image-error.ts';
import { parseChallenges } from './auth-challenge.ts';
import type { Credentials } from './credentials.ts';
import { readText, send } from './http-request.ts';
import type { Dial, EndpointSettings } from './registry-options.ts';

const MAX_ANSWER_BYTES = 1024 * 1024;

interface AuthorizeOptions {
  readonly credentials: Credentials | undefined;
  /** The scope to request if the challenge has none. */
  readonly scope: string;
  readonly settings: EndpointSettings;
  readonly signal?: AbortSignal;
  readonly limit: IdleTimeout;
  readonly dial?: Dial;
}

/** The value of the Authorization header; undefined if the credentials do not fit the challenge. */
export async function authorize(challengeHeader: string, options: AuthorizeOptions): Promise<string | undefined> {
  const { credentials } = options;
  const challenges = parseChallenges(challengeHeader);
  const bearer = challenges.find((challenge) => challenge.scheme === 'bearer');
  if (bearer !== undefined) {
    if (credentials?.registryToken !== undefined) return `Bearer ${credentials.registryToken}`;
    return `Bearer ${await fetchToken(bearer.parameters, options)}`;
  }
  if (challenges.some((challenge) => challenge.scheme === 'basic') && credentials?.username !== undefined)
    return basic(credentials);
  return undefined;
}

async function fetchToken(parameters: Readonly<Record<string, string>>, options: AuthorizeOptions): Promise<string> {
  const { credentials, settings, signal, limit, dial } = options;
  const scope = parameters.scope ?? options.scope;
  let realm: URL;
  try {
    realm = new URL(parameters.realm ?? '');
  } catch {
    throw new ImageError('UNAUTHENTICATED', 'failed to authorize: the registry names no token server');
  }
  // The registry's headers and client certificates must not go to the token server.
  const trust: EndpointSettings = {
    ...(settings.ca === undefined ? {} : { ca: settings.ca }),
    skipVerify: settings.skipVerify === true,
  };
  const common = {
    settings: trust,
    limit,
    ...(signal === undefined ? {} : { signal }),
    ...(dial === undefined ? {} : { dial }),
  };
  const what = credentials === undefined ? 'anonymous token' : 'oauth token';
  const response =
    credentials?.identityToken === undefined
      ? await send({
          ...common,
          url: tokenUrl(realm, { ...parameters, scope }),
          headers: credentials?.username === undefined ? {} : { authorization: basic(credentials) },
        })
      : await send({
          ...common,
          url: realm.href,
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({
            grant_type: 'refresh_token',
            refresh_token: credentials.identityToken,
            service: parameters.service ?? '',
            scope,
            client_id: 'k8ts',
          }).toString(),
        });
  const text = await readText(response, MAX_ANSWER_BYTES);
  const status = response.statusCode ?? 0;
  if (status !== 200) {
    const code = status >= 500 ? 'UNAVAILABLE' : 'UNAUTHENTICATED';
    throw new ImageError(
      code,
      `failed to authorize: failed to fetch ${what}: unexpected status from the token server ${realm.origin}: ${status}`,
    );
  }
  const token = tokenIn(text);
  if (token === undefined)
    throw new ImageError(
      'UNAUTHENTICATED',
      `failed to authorize: the token server ${realm.origin} answered without a token`,
    );
  return token;
}

function tokenUrl(realm: URL, { service, scope = '' }: { service?: string; scope?: string }): string {
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set('service', service);
  for (const item of scope.split(' ')) if (item !== '') url.searchParams.append('scope', item);
  return url.href;
}

function tokenIn(text: string): string | undefined {
  try {
    const answer = JSON.parse(text) as { token?: unknown; access_token?: unknown };
    const token = answer.token ?? answer.access_token;
    return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
  } catch {
    return undefined;
  }
}

function basic({ username = '', password = '' }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
