// Generated from src/api by `npm run generate`. Do not edit.
import type { TypedLocalObjectReference } from './core-v1.ts';
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type PathType = string;

export type PolicyType = string;

/**  */
export interface HTTPIngressPath {
  /**  */
  path?: string;
  /**  */
  pathType?: string;
  /**  */
  backend: IngressBackend;
}

/**  */
export interface HTTPIngressRuleValue {
  /**  */
  paths: HTTPIngressPath[];
}

/**  */
export interface IPAddress {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: IPAddressSpec;
}

/** A list of IPAddress objects. */
export interface IPAddressList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: IPAddress[];
}

/**  */
export interface IPAddressSpec {
  /**  */
  parentRef?: ParentReference;
}

/**  */
export interface IPBlock {
  /**  */
  cidr: string;
  /**  */
  except?: string[];
}

/**  */
export interface Ingress {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: IngressSpec;
  /** The observed state, as the system last reported it. */
  status?: IngressStatus;
}

/**  */
export interface IngressBackend {
  /**  */
  service?: IngressServiceBackend;
  /**  */
  resource?: TypedLocalObjectReference;
}

/**  */
export interface IngressClass {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: IngressClassSpec;
}

/** A list of IngressClass objects. */
export interface IngressClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: IngressClass[];
}

/**  */
export interface IngressClassParametersReference {
  /**  */
  apiGroup?: string;
  /**  */
  kind: string;
  /**  */
  name: string;
  /**  */
  scope?: string;
  /**  */
  namespace?: string;
}

/**  */
export interface IngressClassSpec {
  /**  */
  controller?: string;
  /**  */
  parameters?: IngressClassParametersReference;
}

/** A list of Ingress objects. */
export interface IngressList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Ingress[];
}

/**  */
export interface IngressLoadBalancerIngress {
  /**  */
  ip?: string;
  /**  */
  hostname?: string;
  /**  */
  ports?: IngressPortStatus[];
}

/**  */
export interface IngressLoadBalancerStatus {
  /**  */
  ingress?: IngressLoadBalancerIngress[];
}

/**  */
export interface IngressPortStatus {
  /**  */
  port: number;
  /**  */
  protocol: string;
  /**  */
  error?: string;
}

/**  */
export interface IngressRule {
  /**  */
  host?: string;
  /**  */
  http?: HTTPIngressRuleValue;
}

/**  */
export interface IngressRuleValue {
  /**  */
  http?: HTTPIngressRuleValue;
}

/**  */
export interface IngressServiceBackend {
  /**  */
  name: string;
  /**  */
  port?: ServiceBackendPort;
}

/**  */
export interface IngressSpec {
  /**  */
  ingressClassName?: string;
  /**  */
  defaultBackend?: IngressBackend;
  /**  */
  tls?: IngressTLS[];
  /**  */
  rules?: IngressRule[];
}

/**  */
export interface IngressStatus {
  /**  */
  loadBalancer?: IngressLoadBalancerStatus;
}

/**  */
export interface IngressTLS {
  /**  */
  hosts?: string[];
  /**  */
  secretName?: string;
}

/**  */
export interface NetworkPolicy {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: NetworkPolicySpec;
}

/**  */
export interface NetworkPolicyEgressRule {
  /**  */
  ports?: NetworkPolicyPort[];
  /**  */
  to?: NetworkPolicyPeer[];
}

/**  */
export interface NetworkPolicyIngressRule {
  /**  */
  ports?: NetworkPolicyPort[];
  /**  */
  from?: NetworkPolicyPeer[];
}

/** A list of NetworkPolicy objects. */
export interface NetworkPolicyList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: NetworkPolicy[];
}

/**  */
export interface NetworkPolicyPeer {
  /**  */
  podSelector?: LabelSelector;
  /**  */
  namespaceSelector?: LabelSelector;
  /**  */
  ipBlock?: IPBlock;
}

/**  */
export interface NetworkPolicyPort {
  /**  */
  protocol?: string;
  /**  */
  port?: (number | string);
  /**  */
  endPort?: number;
}

/**  */
export interface NetworkPolicySpec {
  /**  */
  podSelector?: LabelSelector;
  /**  */
  ingress?: NetworkPolicyIngressRule[];
  /**  */
  egress?: NetworkPolicyEgressRule[];
  /**  */
  policyTypes?: string[];
}

/**  */
export interface ParentReference {
  /**  */
  group?: string;
  /**  */
  resource: string;
  /**  */
  namespace?: string;
  /**  */
  name: string;
}

/**  */
export interface ServiceBackendPort {
  /**  */
  name?: string;
  /**  */
  number?: number;
}

/**  */
export interface ServiceCIDR {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
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
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ServiceCIDR[];
}

/**  */
export interface ServiceCIDRSpec {
  /**  */
  cidrs?: string[];
}

/**  */
export interface ServiceCIDRStatus {
  /**  */
  conditions?: Condition[];
}
