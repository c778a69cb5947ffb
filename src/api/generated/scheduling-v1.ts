// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

/** A named priority for Pods. */
export interface PriorityClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The priority; higher goes first; fixed. */
  value?: number;
  /** Whether Pods without a class get this one; default false. */
  globalDefault?: boolean;
  /** What the class is for. */
  description?: string;
  /** PreemptLowerPriority (default) or Never. */
  preemptionPolicy?: string;
}

/** A list of PriorityClass objects. */
export interface PriorityClassList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PriorityClass[];
}
