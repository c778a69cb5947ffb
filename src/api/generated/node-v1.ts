// Generated from src/api by `npm run generate`. Do not edit.
import type { Toleration } from './core-v1.ts';
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

/**  */
export interface Overhead {
  /**  */
  podFixed?: Record<string, string>;
}

/**  */
export interface RuntimeClass {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  handler: string;
  /**  */
  overhead?: Overhead;
  /**  */
  scheduling?: Scheduling;
}

/** A list of RuntimeClass objects. */
export interface RuntimeClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: RuntimeClass[];
}

/**  */
export interface Scheduling {
  /**  */
  nodeSelector?: Record<string, string>;
  /**  */
  tolerations?: Toleration[];
}
