// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export type KeyUsage = string;

export type RequestConditionType = string;

/**  */
export interface CertificateSigningRequest {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  spec: CertificateSigningRequestSpec;
  /**  */
  status?: CertificateSigningRequestStatus;
}

/**  */
export interface CertificateSigningRequestCondition {
  /**  */
  type: string;
  /**  */
  status: string;
  /**  */
  reason?: string;
  /**  */
  message?: string;
  /**  */
  lastUpdateTime?: string;
  /**  */
  lastTransitionTime?: string;
}

/** A list of CertificateSigningRequest objects. */
export interface CertificateSigningRequestList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: CertificateSigningRequest[];
}

/**  */
export interface CertificateSigningRequestSpec {
  /**  */
  request: string;
  /**  */
  signerName: string;
  /**  */
  expirationSeconds?: number;
  /**  */
  usages?: string[];
  /**  */
  username?: string;
  /**  */
  uid?: string;
  /**  */
  groups?: string[];
  /**  */
  extra?: Record<string, string[]>;
}

/**  */
export interface CertificateSigningRequestStatus {
  /**  */
  conditions?: CertificateSigningRequestCondition[];
  /**  */
  certificate?: string;
}
