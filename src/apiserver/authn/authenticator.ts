/** Who is asking. Each way to prove an identity is an Authenticator; the first that recognises a credential decides. */
import type { ApiRequest, UserInfo } from '../request/request.ts';

/** Adds to the request's audit event. */
export type Annotate = (key: string, value: string) => void;

export interface Authenticator {
  readonly name: string;
  /** undefined: no credential of this kind was shown. Throws a 401 StatusError for a credential that is wrong. */
  authenticate(request: ApiRequest, annotate: Annotate): Promise<UserInfo | undefined> | UserInfo | undefined;
}

export interface TokenAnswer {
  readonly user: UserInfo;
  /** Those of the wanted audiences that the token is for; absent when tokens of this kind know no audiences. */
  readonly audiences?: readonly string[];
}

/** A way to recognise bearer tokens. */
export interface TokenAuthenticator {
  readonly name: string;
  /** undefined: not a token of this kind. Throws a TokenRefused for one that is, and is not good. */
  authenticateToken(
    token: string,
    audiences: readonly string[],
    annotate: Annotate,
  ): Promise<TokenAnswer | undefined> | TokenAnswer | undefined;
}

/** Why a token was refused: TokenReview shows it, a request never does. It must not hold the token. */
export class TokenRefused extends Error {
  readonly code = 'token-refused';
}

export const AUTHENTICATED = 'system:authenticated';

/** Everybody who proved who they are is in system:authenticated. */
export const withAuthenticated = (groups: readonly string[]): readonly string[] =>
  groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
