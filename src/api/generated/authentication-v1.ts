// Generated from src/api by `npm run generate`. Do not edit.
import type { ObjectMeta } from './meta-v1.ts';

/** An object to whose life a token is bound. */
export interface BoundObjectReference {
  /** Kind of the object: Pod, Secret or Node. */
  kind?: string;
  /** API version of the object. */
  apiVersion?: string;
  /** Name of the object. */
  name?: string;
  /** UID of the object. */
  uid?: string;
}

/** Asks who the caller is. */
export interface SelfSubjectReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The answer, filled by the server. */
  status?: SelfSubjectReviewStatus;
}

/** Who the caller is. */
export interface SelfSubjectReviewStatus {
  /** The caller's user name, groups and so on. */
  userInfo?: UserInfo;
}

/** Asks for a token of a ServiceAccount. */
export interface TokenRequest {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec?: TokenRequestSpec;
  /** The answer, filled by the server. */
  status?: TokenRequestStatus;
}

/** Which token is wanted. */
export interface TokenRequestSpec {
  /** Who is to accept the token; empty for the API server. */
  audiences?: string[];
  /** Wanted lifetime in seconds; the answer may differ; default 3600. */
  expirationSeconds?: number;
  /** Object with whose end the token ends. */
  boundObjectRef?: BoundObjectReference;
}

/** The token. */
export interface TokenRequestStatus {
  /** The token itself. */
  token?: string;
  /** When the token expires. */
  expirationTimestamp?: string;
}

/** Asks whether a token is valid and whose it is. */
export interface TokenReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec: TokenReviewSpec;
  /** The answer, filled by the server. */
  status?: TokenReviewStatus;
}

/** The token in question. */
export interface TokenReviewSpec {
  /** The token. */
  token: string;
  /** Audiences of the asker; default that of the API server. */
  audiences?: string[];
}

/** Whose token it is. */
export interface TokenReviewStatus {
  /** Whether the token is valid. */
  authenticated?: boolean;
  /** Who the token belongs to. */
  user?: UserInfo;
  /** Audiences that both the token and the asker have. */
  audiences?: string[];
  /** Why the token could not be checked. */
  error?: string;
}

/** A user, as authentication finds it. */
export interface UserInfo {
  /** Name of the user. */
  username?: string;
  /** Unique ID of the user. */
  uid?: string;
  /** Groups of the user. */
  groups?: string[];
  /** Further information from the authenticator. */
  extra?: Record<string, string[]>;
}
