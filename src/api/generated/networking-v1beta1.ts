// Generated from src/api by `npm run generate`. Do not edit.
import type { Condition, ListMeta, ObjectMeta } from './meta-v1.ts';

export type PathType = string;

export type PolicyType = string;

/** An IP address that is in use by a Service. */
export interface IPAddress {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: IPAddressSpec;
}

/** A list of IPAddress objects. */
export interface IPAddressList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: IPAddress[];
}

/** Who uses the address. */
export interface IPAddressSpec {
  /** The object that the address belongs to. */
  parentRef?: ParentReference;
}

/** Points to the object that uses an address. */
export interface ParentReference {
  /** API group of the object. */
  group?: string;
  /** Resource of the object, such as services. */
  resource: string;
  /** Namespace of the object. */
  namespace?: string;
  /** Name of the object. */
  name: string;
}

/** Address ranges for Services. */
export interface ServiceCIDR {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: ServiceCIDRSpec;
  /** The observed state, as the system last reported it. */
  status?: ServiceCIDRStatus;
}

/** A list of ServiceCIDR objects. */
export interface ServiceCIDRList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ServiceCIDR[];
}

/** The address ranges. */
export interface ServiceCIDRSpec {
  /** One range of each IP family; fixed after creation. */
  cidrs?: string[];
}

/** State of the ranges. */
export interface ServiceCIDRStatus {
  /** Conditions, such as Ready. */
  conditions?: Condition[];
}
