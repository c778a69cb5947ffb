// Generated from src/api by `npm run generate`. Do not edit.
import type { ObjectMeta } from './meta-v1.ts';

/**  */
export interface BoundObjectReference {
  /**  */
  kind?: string;
  /**  */
  apiVersion?: string;
  /**  */
  name?: string;
  /**  */
  uid?: string;
}

/**  */
export interface SelfSubjectReview {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The answer, filled by the server. */
  status?: SelfSubjectReviewStatus;
}

/**  */
export interface SelfSubjectReviewStatus {
  /**  */
  userInfo?: UserInfo;
}

/**  */
export interface TokenRequest {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec?: TokenRequestSpec;
  /** The answer, filled by the server. */
  status?: TokenRequestStatus;
}

/**  */
export interface TokenRequestSpec {
  /**  */
  audiences?: string[];
  /**  */
  expirationSeconds?: number;
  /**  */
  boundObjectRef?: BoundObjectReference;
}

/**  */
export interface TokenRequestStatus {
  /**  */
  token?: string;
  /**  */
  expirationTimestamp?: string;
}

/**  */
export interface TokenReview {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec: TokenReviewSpec;
  /** The answer, filled by the server. */
  status?: TokenReviewStatus;
}

/**  */
export interface TokenReviewSpec {
  /**  */
  token: string;
  /**  */
  audiences?: string[];
}

/**  */
export interface TokenReviewStatus {
  /**  */
  authenticated?: boolean;
  /**  */
  user?: UserInfo;
  /**  */
  audiences?: string[];
  /**  */
  error?: string;
}

/**  */
export interface UserInfo {
  /**  */
  username?: string;
  /**  */
  uid?: string;
  /**  */
  groups?: string[];
  /**  */
  extra?: Record<string, string[]>;
}
