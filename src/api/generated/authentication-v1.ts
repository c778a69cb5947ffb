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
  /** The observed state, as the system last reported it. */
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
  /** The desired state, as the user asks for it. */
  spec?: TokenRequestSpec;
  /** The observed state, as the system last reported it. */
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
  /** The desired state, as the user asks for it. */
  spec: TokenReviewSpec;
  /** The observed state, as the system last reported it. */
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
