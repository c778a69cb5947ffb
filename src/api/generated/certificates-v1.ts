// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export type KeyUsage = string;

export type RequestConditionType = string;

/** Asks a signer for a certificate. */
export interface CertificateSigningRequest {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: CertificateSigningRequestSpec;
  /** The observed state, as the system last reported it. */
  status?: CertificateSigningRequestStatus;
}

/** One aspect of the request's current state. */
export interface CertificateSigningRequestCondition {
  /** Approved, Denied or Failed. */
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
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: CertificateSigningRequest[];
}

/** The request and who makes it; fixed after creation. */
export interface CertificateSigningRequestSpec {
  /** PKCS#10 request in PEM, in base64. */
  request: string;
  /** Signer that is asked, such as kubernetes.io/kube-apiserver-client. */
  signerName: string;
  /** Wanted lifetime in seconds, at least 600; the signer may differ. */
  expirationSeconds?: number;
  /** What the key is for, such as client auth or digital signature. */
  usages?: string[];
  /** Who made the request; set by the server. */
  username?: string;
  /** UID of who made the request; set by the server. */
  uid?: string;
  /** Groups of who made the request; set by the server. */
  groups?: string[];
  /** Further information about who made the request; set by the server. */
  extra?: Record<string, string[]>;
}

/** The decision and the certificate. */
export interface CertificateSigningRequestStatus {
  /** Approved, Denied or Failed, with reasons. */
  conditions?: CertificateSigningRequestCondition[];
  /** The certificate chain in PEM, in base64; set by the signer. */
  certificate?: string;
}
