// Generated from src/api by `npm run generate`. Do not edit.
import type { ObjectReference } from './core-v1.ts';
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export type AddressType = string;

/** One backend of a Service. */
export interface Endpoint {
  /** Its addresses, of the slice's type; clients may use any one. */
  addresses: string[];
  /** Whether it is ready, serving and terminating. */
  conditions?: EndpointConditions;
  /** Its host name, a DNS label. */
  hostname?: string;
  /** The object behind it, usually a Pod. */
  targetRef?: ObjectReference;
  /** Topology labels of the older API; not settable. */
  deprecatedTopology?: Record<string, string>;
  /** Node on which it runs. */
  nodeName?: string;
  /** Zone in which it runs. */
  zone?: string;
  /** Who should use it. */
  hints?: EndpointHints;
}

/** Condition of an endpoint. */
export interface EndpointConditions {
  /** Whether it takes new traffic; unset means yes. */
  ready?: boolean;
  /** Like ready, also while it is terminating; unset means as ready. */
  serving?: boolean;
  /** Whether it is shutting down; unset means no. */
  terminating?: boolean;
}

/** Who should use an endpoint. */
export interface EndpointHints {
  /** Zones whose clients should use it; at most 8. */
  forZones?: ForZone[];
  /** Nodes whose clients should use it; at most 8. */
  forNodes?: ForNode[];
}

/** A port of the endpoints. */
export interface EndpointPort {
  /** Name of the port, unique in the slice; may be empty. */
  name?: string;
  /** TCP (default), UDP or SCTP. */
  protocol?: string;
  /** Port number. */
  port?: number;
  /** Application protocol, such as kubernetes.io/h2c. */
  appProtocol?: string;
}

/** A part of the backends of a Service. */
export interface EndpointSlice {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** IPv4, IPv6 or FQDN (deprecated); fixed. */
  addressType: string;
  /** The endpoints, at most 1000. */
  endpoints?: Endpoint[];
  /** Ports of every endpoint, at most 100. */
  ports?: EndpointPort[];
}

/** A list of EndpointSlice objects. */
export interface EndpointSliceList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: EndpointSlice[];
}

/** A node whose clients should use an endpoint. */
export interface ForNode {
  /** Name of the node. */
  name: string;
}

/** A zone whose clients should use an endpoint. */
export interface ForZone {
  /** Name of the zone. */
  name: string;
}
