// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

/**  */
export interface APIService {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  spec?: APIServiceSpec;
  /**  */
  status?: APIServiceStatus;
}

/**  */
export interface APIServiceCondition {
  /**  */
  type: string;
  /**  */
  status: string;
  /**  */
  lastTransitionTime?: string;
  /**  */
  reason?: string;
  /**  */
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
