// Generated from src/api by `npm run generate`. Do not edit.
import type { Condition, ListMeta, ObjectMeta } from './meta-v1.ts';

/** Trust anchors (root certificates) for the whole cluster. */
export interface ClusterTrustBundle {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The signer and its trust anchors. */
  spec: ClusterTrustBundleSpec;
}

/** A list of ClusterTrustBundle objects. */
export interface ClusterTrustBundleList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ClusterTrustBundle[];
}

/** The signer and its trust anchors. */
export interface ClusterTrustBundleSpec {
  /** Signer whose certificates the anchors verify; fixed. Empty for none. */
  signerName?: string;
  /** The anchors: CA certificates in PEM. */
  trustBundle: string;
}

/** Asks a signer for a certificate of a Pod; made by the kubelet. */
export interface PodCertificateRequest {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The request; fixed after creation. */
  spec: PodCertificateRequestSpec;
  /** The observed state, as the signer last reported it. */
  status?: PodCertificateRequestStatus;
}

/** A list of PodCertificateRequest objects. */
export interface PodCertificateRequestList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PodCertificateRequest[];
}

/** The Pod, its identity and its key. */
export interface PodCertificateRequestSpec {
  /** Signer that is asked. */
  signerName: string;
  /** Name of the Pod. */
  podName: string;
  /** UID of the Pod. */
  podUID: string;
  /** ServiceAccount of the Pod. */
  serviceAccountName: string;
  /** UID of the ServiceAccount. */
  serviceAccountUID: string;
  /** Node that the Pod is on. */
  nodeName: string;
  /** UID of the node. */
  nodeUID: string;
  /** Longest lifetime of the certificate in seconds, at least 3600. */
  maxExpirationSeconds?: number;
  /** Public key in PKIX form; stubPKCS10Request takes its place. */
  pkixPublicKey?: string;
  /** Signature of the Pod's UID with the key. */
  proofOfPossession?: string;
  /** PKCS#10 request in DER that carries the public key. */
  stubPKCS10Request: string;
  /** What the Pod tells the signer; nobody verified it. */
  unverifiedUserAnnotations?: Record<string, string>;
}

/** The decision and the certificate. */
export interface PodCertificateRequestStatus {
  /** Issued, Denied or Failed, with reasons. */
  conditions?: Condition[];
  /** The certificate in PEM, followed by intermediates. */
  certificateChain?: string;
  /** When the certificate becomes valid. */
  notBefore?: string;
  /** When the kubelet should ask for the next one. */
  beginRefreshAt?: string;
  /** When the certificate expires. */
  notAfter?: string;
}
