// Generated from src/api by `npm run generate`. Do not edit.
import type { Toleration } from './core-v1.ts';
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

/** Resources that running a Pod costs beyond its containers. */
export interface Overhead {
  /** Amount for each Pod. */
  podFixed?: Record<string, string>;
}

/** A container runtime that Pods can choose. */
export interface RuntimeClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Name of the runtime's configuration on the nodes; fixed. */
  handler: string;
  /** Resources that each Pod costs beyond its containers. */
  overhead?: Overhead;
  /** Nodes that have the runtime; default all. */
  scheduling?: Scheduling;
}

/** A list of RuntimeClass objects. */
export interface RuntimeClassList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: RuntimeClass[];
}

/** Nodes that have a runtime. */
export interface Scheduling {
  /** Labels of the nodes; added to the Pod's own. */
  nodeSelector?: Record<string, string>;
  /** Tolerations that are added to the Pod's own. */
  tolerations?: Toleration[];
}
