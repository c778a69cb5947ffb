// Generated from src/api by `npm run generate`. Do not edit.
import type { GroupVersionKind, ListMeta, ObjectMeta } from './meta-v1.ts';

export type DiscoveryFreshness = string;

export type ResourceScope = string;

/** An API group with its versions and resources. */
export interface APIGroupDiscovery {
  apiVersion?: string;
  kind?: string;
  /** Its name is that of the group; empty for core. */
  metadata: ObjectMeta;
  /** Versions of the group, preferred first. */
  versions?: APIVersionDiscovery[];
}

/** A list of APIGroupDiscovery objects. */
export interface APIGroupDiscoveryList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: APIGroupDiscovery[];
}

/** A resource of an API version. */
export interface APIResourceDiscovery {
  /** Plural name of the resource. */
  resource?: string;
  /** Kind of the objects. */
  responseKind?: GroupVersionKind;
  /** Cluster or Namespaced. */
  scope?: string;
  /** Singular name of the resource. */
  singularResource?: string;
  /** Verbs that the resource supports. */
  verbs?: string[];
  /** Short names, such as po. */
  shortNames?: string[];
  /** Categories the resource is in, such as all. */
  categories?: string[];
  /** Its subresources. */
  subresources?: APISubresourceDiscovery[];
}

/** A subresource. */
export interface APISubresourceDiscovery {
  /** Name of the subresource, such as scale. */
  subresource?: string;
  /** Kind of the objects; unset if it returns none. */
  responseKind?: GroupVersionKind;
  /** Kinds that may be sent. */
  acceptedTypes?: GroupVersionKind[];
  /** Verbs that the subresource supports. */
  verbs?: string[];
}

/** A version of an API group. */
export interface APIVersionDiscovery {
  /** Name of the version. */
  version?: string;
  /** Its resources. */
  resources?: APIResourceDiscovery[];
  /** Current, or Stale if the server behind it could not be asked. */
  freshness?: string;
}
