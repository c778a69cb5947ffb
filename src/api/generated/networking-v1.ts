// Generated from src/api by `npm run generate`. Do not edit.
import type { TypedLocalObjectReference } from './core-v1.ts';
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type PathType = string;

export type PolicyType = string;

/** A path and the backend that serves it. */
export interface HTTPIngressPath {
  /** Path to match, beginning with /; needed for Exact and Prefix. */
  path?: string;
  /** Exact, Prefix or ImplementationSpecific. */
  pathType?: string;
  /** Where requests go. */
  backend: IngressBackend;
}

/** Paths of a host. */
export interface HTTPIngressRuleValue {
  /** Paths and their backends. */
  paths: HTTPIngressPath[];
}

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

/** A network, and parts of it that do not count. */
export interface IPBlock {
  /** The network, such as 192.168.1.0/24. */
  cidr: string;
  /** Networks inside cidr that are left out. */
  except?: string[];
}

/** Rules by which HTTP requests from outside reach Services. */
export interface Ingress {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: IngressSpec;
  /** The observed state, as the system last reported it. */
  status?: IngressStatus;
}

/** Where requests go; either a Service or another object. */
export interface IngressBackend {
  /** A Service. */
  service?: IngressServiceBackend;
  /** An object of another kind in the namespace. */
  resource?: TypedLocalObjectReference;
}

/** A kind of Ingress, served by one controller. */
export interface IngressClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: IngressClassSpec;
}

/** A list of IngressClass objects. */
export interface IngressClassList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: IngressClass[];
}

/** Points to an object with settings of the class. */
export interface IngressClassParametersReference {
  /** API group of the object; unset for core. */
  apiGroup?: string;
  /** Kind of the object. */
  kind: string;
  /** Name of the object. */
  name: string;
  /** Cluster (default) or Namespace. */
  scope?: string;
  /** Namespace of the object; needed for scope Namespace. */
  namespace?: string;
}

/** Controller of the class and its settings. */
export interface IngressClassSpec {
  /** Controller that serves the class, as domain/path; fixed. */
  controller?: string;
  /** Object with settings for the controller. */
  parameters?: IngressClassParametersReference;
}

/** A list of Ingress objects. */
export interface IngressList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Ingress[];
}

/** One entry point of an Ingress. */
export interface IngressLoadBalancerIngress {
  /** IP address. */
  ip?: string;
  /** DNS name. */
  hostname?: string;
  /** State of the ports. */
  ports?: IngressPortStatus[];
}

/** Load balancer of an Ingress. */
export interface IngressLoadBalancerStatus {
  /** Its entry points. */
  ingress?: IngressLoadBalancerIngress[];
}

/** State of one port. */
export interface IngressPortStatus {
  /** Port number. */
  port: number;
  /** TCP, UDP or SCTP. */
  protocol: string;
  /** Reason word for a failure of the port. */
  error?: string;
}

/** Paths of one host. */
export interface IngressRule {
  /** Host name, perhaps with *. in front; default all hosts. */
  host?: string;
  /** HTTP paths. */
  http?: HTTPIngressRuleValue;
}

/** The paths of a rule. */
export interface IngressRuleValue {
  /** HTTP paths. */
  http?: HTTPIngressRuleValue;
}

/** A port of a Service. */
export interface IngressServiceBackend {
  /** Name of the Service in the namespace. */
  name: string;
  /** Port of the Service. */
  port?: ServiceBackendPort;
}

/** Hosts, paths and their backends. */
export interface IngressSpec {
  /** IngressClass of the Ingress; default the cluster's default class. */
  ingressClassName?: string;
  /** Where requests go that no rule matches. */
  defaultBackend?: IngressBackend;
  /** Certificates for hosts. */
  tls?: IngressTLS[];
  /** Hosts and paths. */
  rules?: IngressRule[];
}

/** State of an Ingress. */
export interface IngressStatus {
  /** Its load balancer. */
  loadBalancer?: IngressLoadBalancerStatus;
}

/** A certificate for hosts. */
export interface IngressTLS {
  /** Hosts that the certificate covers. */
  hosts?: string[];
  /** Secret with the certificate and key. */
  secretName?: string;
}

/** Which traffic is allowed for a set of Pods. */
export interface NetworkPolicy {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: NetworkPolicySpec;
}

/** Traffic that may leave the Pods. */
export interface NetworkPolicyEgressRule {
  /** Allowed ports; empty allows all. */
  ports?: NetworkPolicyPort[];
  /** Allowed destinations; empty allows all. */
  to?: NetworkPolicyPeer[];
}

/** Traffic that may reach the Pods. */
export interface NetworkPolicyIngressRule {
  /** Allowed ports; empty allows all. */
  ports?: NetworkPolicyPort[];
  /** Allowed sources; empty allows all. */
  from?: NetworkPolicyPeer[];
}

/** A list of NetworkPolicy objects. */
export interface NetworkPolicyList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: NetworkPolicy[];
}

/** A source or destination of traffic. */
export interface NetworkPolicyPeer {
  /** Labels of Pods; of this namespace unless namespaceSelector is set. */
  podSelector?: LabelSelector;
  /** Labels of namespaces; empty selects all. */
  namespaceSelector?: LabelSelector;
  /** A network; excludes the selectors. */
  ipBlock?: IPBlock;
}

/** A port, or a range of ports. */
export interface NetworkPolicyPort {
  /** TCP (default), UDP or SCTP. */
  protocol?: string;
  /** Port number or name; default all ports. */
  port?: (number | string);
  /** Last port of the range that begins with port. */
  endPort?: number;
}

/** Pods and the traffic allowed for them. */
export interface NetworkPolicySpec {
  /** Labels of the Pods; empty selects all of the namespace. */
  podSelector?: LabelSelector;
  /** Traffic that may reach the Pods; empty allows none. */
  ingress?: NetworkPolicyIngressRule[];
  /** Traffic that may leave the Pods; empty allows none. */
  egress?: NetworkPolicyEgressRule[];
  /** Ingress, Egress or both; default Ingress, and Egress if it has rules. */
  policyTypes?: string[];
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

/** A port of a Service, by name or number. */
export interface ServiceBackendPort {
  /** Name of the port; excludes number. */
  name?: string;
  /** Number of the port; excludes name. */
  number?: number;
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
