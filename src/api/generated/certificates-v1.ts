// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export type KeyUsage = string;

export type RequestConditionType = string;

/**  */
export interface CertificateSigningRequest {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: CertificateSigningRequestSpec;
  /** The observed state, as the system last reported it. */
  status?: CertificateSigningRequestStatus;
}

/**  */
export interface CertificateSigningRequestCondition {
  /**  */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
  /** When the condition was last written. */
  lastUpdateTime?: string;
  /** When the status last changed. */
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
