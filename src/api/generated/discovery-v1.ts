// Generated from src/api by `npm run generate`. Do not edit.
import type { ObjectReference } from './core-v1.ts';
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export type AddressType = string;

/**  */
export interface Endpoint {
  /**  */
  addresses: string[];
  /**  */
  conditions?: EndpointConditions;
  /**  */
  hostname?: string;
  /**  */
  targetRef?: ObjectReference;
  /**  */
  deprecatedTopology?: Record<string, string>;
  /**  */
  nodeName?: string;
  /**  */
  zone?: string;
  /**  */
  hints?: EndpointHints;
}

/**  */
export interface EndpointConditions {
  /**  */
  ready?: boolean;
  /**  */
  serving?: boolean;
  /**  */
  terminating?: boolean;
}

/**  */
export interface EndpointHints {
  /**  */
  forZones?: ForZone[];
  /**  */
  forNodes?: ForNode[];
}

/**  */
export interface EndpointPort {
  /**  */
  name?: string;
  /**  */
  protocol?: string;
  /**  */
  port?: number;
  /**  */
  appProtocol?: string;
}

/**  */
export interface EndpointSlice {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  addressType: string;
  /**  */
  endpoints?: Endpoint[];
  /**  */
  ports?: EndpointPort[];
}

/** A list of EndpointSlice objects. */
export interface EndpointSliceList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: EndpointSlice[];
}

/**  */
export interface ForNode {
  /**  */
  name: string;
}

/**  */
export interface ForZone {
  /**  */
  name: string;
}
