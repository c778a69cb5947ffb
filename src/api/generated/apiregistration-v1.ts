// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

/** An API group version and the server behind it. */
export interface APIService {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: APIServiceSpec;
  /** The observed state, as the system last reported it. */
  status?: APIServiceStatus;
}

/** One aspect of the APIService's current state. */
export interface APIServiceCondition {
  /** Which condition: Available. */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** A list of APIService objects. */
export interface APIServiceList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: APIService[];
}

/** Which API group version is served, and by whom. */
export interface APIServiceSpec {
  /** Service that serves it; unset if this server does. */
  service?: ServiceReference;
  /** Name of the API group. */
  group?: string;
  /** Name of the API version. */
  version?: string;
  /** Do not verify the server's certificate; not recommended. */
  insecureSkipTLSVerify?: boolean;
  /** PEM certificates that the server's must chain to; default the system's. */
  caBundle?: string;
  /** Order of groups: higher first; 1 to 20000. */
  groupPriorityMinimum: number;
  /** Order of versions in the group: higher first; 1 to 1000. */
  versionPriority: number;
}

/** State of an APIService. */
export interface APIServiceStatus {
  /** Conditions, such as Available. */
  conditions?: APIServiceCondition[];
}

/** A Service that is called. */
export interface ServiceReference {
  /** Namespace of the Service. */
  namespace?: string;
  /** Name of the Service. */
  name?: string;
  /** Port of the Service; default 443. */
  port?: number;
}
