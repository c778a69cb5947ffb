/** Bearer tokens, from the Authorization header, or from the WebSocket subprotocol: browsers cannot set that header. */
import { errorMessage, whenDone } from '../../base/index.ts';
import { silentLogger, type Logger } from '../../kernel/index.ts';
import { unauthorized } from '../../machinery/errors/index.ts';
import { headerOf, type ApiRequest, type UserInfo } from '../request/request.ts';
import {
  withAuthenticated,
  InvalidTokenError,
  type Annotate,
  type Authenticator,
  type TokenResponse,
  type TokenAuthenticator,
} from './authenticator.ts';
import { isPlainIdentity } from './identity-text.ts';

const PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

export class BearerTokens implements Authenticator {
  readonly name = 'token';
  readonly #authenticators: readonly TokenAuthenticator[];
  readonly #logger: Logger;

  constructor(
    authenticators: readonly TokenAuthenticator[],
    /** The audiences of this server: a token must be valid for one of them. */
    readonly apiAudiences: readonly string[],
    logger: Logger = silentLogger,
  ) {
    this.#authenticators = authenticators;
    this.#logger = logger;
  }

  authenticate(request: ApiRequest, annotate: Annotate): Promise<UserInfo> | UserInfo | undefined {
    const token = tokenOf(request);
    if (token === undefined) return undefined;
    return whenDone(this.#authenticateToken({ token, audiences: this.apiAudiences, annotate }, 0), userOf);
  }

  /** Authenticates the token of a TokenReview. Throws an InvalidTokenError with the errors of all authenticators. */
  async review(token: string, audiences: readonly string[]): Promise<TokenResponse> {
    const wanted = audiences.length > 0 ? audiences : this.apiAudiences;
    const reasons: string[] = [];
    const response = await this.#authenticateToken(
      { token, audiences: wanted, annotate: () => {}, onFailure: (reason) => reasons.push(reason) },
      0,
    );
    if (response && isPlainIdentity(response.user)) return response;
    throw new InvalidTokenError(
      reasons.length === 0 ? 'invalid bearer token' : `[${['invalid bearer token', ...reasons].join(', ')}]`,
    );
  }

  /** Tries the authenticators in order. Returns a promise only if an authenticator does. */
  #authenticateToken(query: TokenQuery, from: number): Promise<TokenResponse | undefined> | TokenResponse | undefined {
    for (let i = from; i < this.#authenticators.length; i++) {
      try {
        const response = this.#authenticators[i]!.authenticateToken(query.token, query.audiences, query.annotate);
        if (response instanceof Promise) return this.#authenticateAfter(response, query, i + 1);
        if (response) return withAuthenticatedGroup(response);
      } catch (error) {
        this.#recordFailure(query, error);
      }
    }
    return undefined;
  }

  async #authenticateAfter(
    pending: Promise<TokenResponse | undefined>,
    query: TokenQuery,
    next: number,
  ): Promise<TokenResponse | undefined> {
    try {
      const response = await pending;
      if (response) return withAuthenticatedGroup(response);
    } catch (error) {
      this.#recordFailure(query, error);
    }
    return this.#authenticateToken(query, next);
  }

  /** A failing authenticator counts as one that does not know the token: the client only sees a 401. */
  #recordFailure({ onFailure }: TokenQuery, error: unknown): void {
    if (!(error instanceof InvalidTokenError)) this.#logger.error(error, 'Unable to authenticate the request');
    onFailure?.(errorMessage(error));
  }
}

interface TokenQuery {
  readonly token: string;
  readonly audiences: readonly string[];
  readonly annotate: Annotate;
  /** Called with the error of each authenticator that fails. */
  readonly onFailure?: (reason: string) => void;
}

/** An unknown token is an invalid credential, not a missing one. */
function userOf(response: TokenResponse | undefined): UserInfo {
  if (!response) throw unauthorized();
  return response.user;
}

/** Returns the same object where possible: the authorizer caches permissions by it. */
function withAuthenticatedGroup(response: TokenResponse): TokenResponse {
  const { user } = response;
  const groups = withAuthenticated(user.groups);
  return groups === user.groups ? response : { ...response, user: { ...user, groups } };
}

function tokenOf(request: ApiRequest): string | undefined {
  const header = headerOf(request, 'authorization');
  const token = header && tokenInHeader(header);
  if (token) return token;
  const protocols = headerOf(request, 'sec-websocket-protocol');
  return protocols?.includes(PROTOCOL) ? tokenInProtocol(protocols) : undefined;
}

/** Parsed tokens by header: lookups by a token are faster if it is always the same string. */
const tokens = new Map<string, string>();
const MAX_CACHED_TOKENS = 10_000;

function tokenInHeader(header: string): string | undefined {
  const cached = tokens.get(header);
  if (cached !== undefined) return cached;
  const token = /^\s*bearer\s+(\S+)/i.exec(header)?.[1];
  if (token === undefined) return undefined;
  if (tokens.size >= MAX_CACHED_TOKENS) tokens.clear();
  tokens.set(header, token);
  return token;
}

function tokenInProtocol(protocols: string): string | undefined {
  for (const protocol of protocols.split(',')) {
    const name = protocol.trim();
    if (!name.startsWith(PROTOCOL)) continue;
    const token = Buffer.from(name.slice(PROTOCOL.length), 'base64url').toString('utf8');
    if (token !== '') return token;
  }
  return undefined;
}
