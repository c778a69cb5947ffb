/** The contract of authenticators. The first one that recognizes a credential decides who the user is. */
import type { ApiRequest, UserInfo } from '../request/request.ts';

/** Adds an annotation to the request's audit event. */
export type Annotate = (key: string, value: string) => void;

export interface Authenticator {
  readonly name: string;
  /** Undefined if the request has no credential of this kind. Throws a 401 StatusError for an invalid credential. */
  authenticate(request: ApiRequest, annotate: Annotate): Promise<UserInfo | undefined> | UserInfo | undefined;
}

export interface TokenResponse {
  readonly user: UserInfo;
  /** The requested audiences that the token is valid for; absent if tokens of this kind have no audiences. */
  readonly audiences?: readonly string[];
}

/** Authenticates one kind of bearer tokens. */
export interface TokenAuthenticator {
  readonly name: string;
  /** Undefined if this is not a token of this kind. Throws an InvalidTokenError if it is, and is not valid. */
  authenticateToken(
    token: string,
    audiences: readonly string[],
    annotate: Annotate,
  ): Promise<TokenResponse | undefined> | TokenResponse | undefined;
}

/** Why a token is invalid. Only TokenReview shows the message, a 401 never does. The message must not contain the token. */
export class InvalidTokenError extends Error {
  readonly code = 'invalid-token';
}

export const AUTHENTICATED = 'system:authenticated';

/** Every authenticated user is in the group system:authenticated. */
export const withAuthenticated = (groups: readonly string[]): readonly string[] =>
  groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
