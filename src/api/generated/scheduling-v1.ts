// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

/**  */
export interface PriorityClass {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  value?: number;
  /**  */
  globalDefault?: boolean;
  /**  */
  description?: string;
  /**  */
  preemptionPolicy?: string;
}

/** A list of PriorityClass objects. */
export interface PriorityClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PriorityClass[];
}
