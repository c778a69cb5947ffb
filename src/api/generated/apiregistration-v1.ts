// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

/**  */
export interface APIService {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: APIServiceSpec;
  /** The observed state, as the system last reported it. */
  status?: APIServiceStatus;
}

/**  */
export interface APIServiceCondition {
  /**  */
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
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: APIService[];
}

/**  */
export interface APIServiceSpec {
  /**  */
  service?: ServiceReference;
  /**  */
  group?: string;
  /**  */
  version?: string;
  /**  */
  insecureSkipTLSVerify?: boolean;
  /**  */
  caBundle?: string;
  /**  */
  groupPriorityMinimum: number;
  /**  */
  versionPriority: number;
}

/**  */
export interface APIServiceStatus {
  /**  */
  conditions?: APIServiceCondition[];
}

/**  */
export interface ServiceReference {
  /**  */
  namespace?: string;
  /**  */
  name?: string;
  /**  */
  port?: number;
}
