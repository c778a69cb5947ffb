// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

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
