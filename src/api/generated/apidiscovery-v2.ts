// Generated from src/api by `npm run generate`. Do not edit.
import type { GroupVersionKind, ListMeta, ObjectMeta } from './meta-v1.ts';

export type DiscoveryFreshness = string;

export type ResourceScope = string;

/**  */
export interface APIGroupDiscovery {
  apiVersion?: string;
  kind?: string;
  /** Its name is that of the group; empty for core. */
  metadata: ObjectMeta;
  /**  */
  versions?: APIVersionDiscovery[];
}

/** A list of APIGroupDiscovery objects. */
export interface APIGroupDiscoveryList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: APIGroupDiscovery[];
}

/**  */
export interface APIResourceDiscovery {
  /**  */
  resource?: string;
  /**  */
  responseKind?: GroupVersionKind;
  /**  */
  scope?: string;
  /**  */
  singularResource?: string;
  /**  */
  verbs?: string[];
  /**  */
  shortNames?: string[];
  /**  */
  categories?: string[];
  /**  */
  subresources?: APISubresourceDiscovery[];
}

/**  */
export interface APISubresourceDiscovery {
  /**  */
  subresource?: string;
  /**  */
  responseKind?: GroupVersionKind;
  /**  */
  acceptedTypes?: GroupVersionKind[];
  /**  */
  verbs?: string[];
}

/**  */
export interface APIVersionDiscovery {
  /**  */
  version?: string;
  /**  */
  resources?: APIResourceDiscovery[];
  /**  */
  freshness?: string;
}
