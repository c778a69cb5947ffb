// Generated from src/api by `npm run generate`. Do not edit.
import type { NodeSelector } from './core-v1.ts';
import type { Condition, ListMeta, ObjectMeta } from './meta-v1.ts';

export type AllocationConfigSource = string;

export type DeviceAllocationMode = string;

export type DeviceTaintEffect = string;

export type DeviceTolerationOperator = string;

export type FullyQualifiedName = string;

export type QualifiedName = string;

/** State of an allocated device, as its driver reports it. */
export interface AllocatedDeviceStatus {
  /** Driver of the device. */
  driver: string;
  /** Pool of the device. */
  pool: string;
  /** Name of the device in its pool. */
  device: string;
  /** ID of the share, for a device that is allocated several times. */
  shareID?: string;
  /** Conditions of the device; at most 8. */
  conditions?: Condition[];
  /** Anything else the driver reports. */
  data?: unknown;
  /** Network data of the device. */
  networkData?: NetworkDeviceData;
}

/** What was allocated to a claim. */
export interface AllocationResult {
  /** The devices. */
  devices?: DeviceAllocationResult;
  /** Nodes on which they can be used; unset for all. */
  nodeSelector?: NodeSelector;
  /** When they were allocated, if known. */
  allocationTimestamp?: string;
}

/** Selects devices by an expression. */
export interface CELDeviceSelector {
  /** CEL expression over device: driver, attributes and capacity. */
  expression: string;
}

/** How much of a capacity one request can take. */
export interface CapacityRequestPolicy {
  /** Amount for a request that names none. */
  default?: string;
  /** Amounts that are allowed, ascending, at most 10; requests are rounded up. */
  validValues?: string[];
  /** Range of amounts that is allowed. */
  validRange?: CapacityRequestPolicyRange;
}

/** A range of amounts. */
export interface CapacityRequestPolicyRange {
  /** Least amount; requests are rounded up to it. */
  min?: string;
  /** Most that one request can take. */
  max?: string;
  /** Size of the steps above min. */
  step?: string;
}

/** Amounts of capacity that are wanted. */
export interface CapacityRequirements {
  /** Amount of each capacity. */
  requests?: Record<string, string>;
}

/** An amount that devices share. */
export interface Counter {
  /** How much there is. */
  value: string;
}

/** Named amounts that devices share. */
export interface CounterSet {
  /** Name of the set, unique in its pool. */
  name: string;
  /** The amounts by name, at most 32. */
  counters: Record<string, Counter>;
}

/** One device of a pool. */
export interface Device {
  /** Name of the device, unique in its pool. */
  name: string;
  /** Properties of the device, by name. */
  attributes?: Record<string, DeviceAttribute>;
  /** Amounts that the device has, by name. */
  capacity?: Record<string, DeviceCapacity>;
  /** What the device takes from shared counters when allocated. */
  consumesCounters?: DeviceCounterConsumption[];
  /** The only node that has the device. */
  nodeName?: string;
  /** Nodes that have the device. */
  nodeSelector?: NodeSelector;
  /** Whether all nodes have the device. */
  allNodes?: boolean;
  /** Taints of the device, at most 16. */
  taints?: DeviceTaint[];
  /** Whether the allocation is tied to the chosen node. */
  bindsToNode?: boolean;
  /** Conditions that must be true before the Pod is bound, at most 4. */
  bindingConditions?: string[];
  /** Conditions that make binding fail, at most 4. */
  bindingFailureConditions?: string[];
  /** Whether several requests can share the device. */
  allowMultipleAllocations?: boolean;
  /** Node resources, such as cpu, that the device stands for. */
  nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping>;
}

/** Settings for allocated devices. */
export interface DeviceAllocationConfiguration {
  /** FromClass or FromClaim. */
  source: string;
  /** Requests to which the settings apply; empty for all. */
  requests?: string[];
  /** Settings that only the driver understands. */
  opaque?: OpaqueDeviceConfiguration;
}

/** The devices that were allocated. */
export interface DeviceAllocationResult {
  /** The devices, each with its request. */
  results?: DeviceRequestAllocationResult[];
  /** Settings for the devices, from classes and the claim. */
  config?: DeviceAllocationConfiguration[];
}

/** Value of a property; exactly one member. */
export interface DeviceAttribute {
  /** A whole number. */
  int?: number;
  /** True or false. */
  bool?: boolean;
  /** Text of at most 64 characters. */
  string?: string;
  /** A semantic version. */
  version?: string;
  /** Whole numbers. */
  ints?: number[];
  /** True or false values. */
  bools?: boolean[];
  /** Texts of at most 64 characters. */
  strings?: string[];
  /** Semantic versions. */
  versions?: string[];
}

/** An amount that a device has. */
export interface DeviceCapacity {
  /** How much there is. */
  value: string;
  /** How much one request can take, for shared devices. */
  requestPolicy?: CapacityRequestPolicy;
}

/** Devices that are wanted. */
export interface DeviceClaim {
  /** The requests; all must be met. */
  requests?: DeviceRequest[];
  /** Rules across requests. */
  constraints?: DeviceConstraint[];
  /** Settings for the devices. */
  config?: DeviceClaimConfiguration[];
}

/** Settings for the devices of some requests. */
export interface DeviceClaimConfiguration {
  /** Requests to which the settings apply; empty for all. */
  requests?: string[];
  /** Settings that only the driver understands. */
  opaque?: OpaqueDeviceConfiguration;
}

/** A class of devices that claims can ask for. */
export interface DeviceClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: DeviceClassSpec;
}

/** Settings for devices of a class. */
export interface DeviceClassConfiguration {
  /** Settings that only the driver understands. */
  opaque?: OpaqueDeviceConfiguration;
}

/** A list of DeviceClass objects. */
export interface DeviceClassList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: DeviceClass[];
}

/** Which devices are in the class and how they are set up. */
export interface DeviceClassSpec {
  /** Tests that a device must all pass. */
  selectors?: DeviceSelector[];
  /** Settings for the devices. */
  config?: DeviceClassConfiguration[];
  /** Extended resource that Pods can request to get such a device. */
  extendedResourceName?: string;
}

/** Settings for devices. */
export interface DeviceConfiguration {
  /** Settings that only the driver understands. */
  opaque?: OpaqueDeviceConfiguration;
}

/** A rule across requests; exactly one test. */
export interface DeviceConstraint {
  /** Requests to which the rule applies; empty for all. */
  requests?: string[];
  /** Attribute that all the devices must have with the same value. */
  matchAttribute?: string;
  /** Attribute in which all the devices must differ. */
  distinctAttribute?: string;
}

/** What a device takes from one counter set. */
export interface DeviceCounterConsumption {
  /** Name of the counter set. */
  counterSet: string;
  /** Amount of each counter. */
  counters: Record<string, Counter>;
}

/** One request of a claim; exactly or firstAvailable. */
export interface DeviceRequest {
  /** Name of the request, a DNS label. */
  name: string;
  /** Devices of one class. */
  exactly?: ExactDeviceRequest;
  /** Alternatives, the first that can be met wins; at most 8. */
  firstAvailable?: DeviceSubRequest[];
}

/** A device allocated to a request. */
export interface DeviceRequestAllocationResult {
  /** The request, or request/subrequest. */
  request: string;
  /** Driver of the device. */
  driver: string;
  /** Pool of the device. */
  pool: string;
  /** Name of the device in its pool. */
  device: string;
  /** Whether the device is used for administration, beside its users. */
  adminAccess?: boolean;
  /** Taints that the request accepted. */
  tolerations?: DeviceToleration[];
  /** Conditions of the device that binding waits for. */
  bindingConditions?: string[];
  /** Conditions of the device that make binding fail. */
  bindingFailureConditions?: string[];
  /** ID of this share of a device that is allocated several times. */
  shareID?: string;
  /** Amount taken of each capacity of a shared device. */
  consumedCapacity?: Record<string, string>;
}

/** A test on devices. */
export interface DeviceSelector {
  /** An expression on the device. */
  cel?: CELDeviceSelector;
}

/** One alternative of a request. */
export interface DeviceSubRequest {
  /** Name of the alternative; used as request/name. */
  name: string;
  /** The DeviceClass. */
  deviceClassName: string;
  /** Further tests that a device must all pass. */
  selectors?: DeviceSelector[];
  /** ExactCount (default) or All. */
  allocationMode?: string;
  /** How many devices, for ExactCount; default 1. */
  count?: number;
  /** Taints that are accepted. */
  tolerations?: DeviceToleration[];
  /** Amounts of capacity that are wanted. */
  capacity?: CapacityRequirements;
}

/** Keeps away claims that do not tolerate it. */
export interface DeviceTaint {
  /** Taint key. */
  key: string;
  /** Taint value. */
  value?: string;
  /** None, NoSchedule or NoExecute (evicts Pods that use the device). */
  effect: string;
  /** When the taint was added; set by the server. */
  timeAdded?: string;
}

/** Accepts device taints that match it. */
export interface DeviceToleration {
  /** Taint key; empty with Exists matches all taints. */
  key?: string;
  /** Exists or Equal (default). */
  operator?: string;
  /** Taint value to compare with; empty for Exists. */
  value?: string;
  /** NoSchedule or NoExecute; empty matches all. */
  effect?: string;
  /** Seconds for which NoExecute is accepted; default for ever. */
  tolerationSeconds?: number;
}

/** Devices of one class. */
export interface ExactDeviceRequest {
  /** The DeviceClass. */
  deviceClassName: string;
  /** Further tests that a device must all pass. */
  selectors?: DeviceSelector[];
  /** ExactCount (default) or All. */
  allocationMode?: string;
  /** How many devices, for ExactCount; default 1. */
  count?: number;
  /** Use devices for administration, even if others have them; default false. */
  adminAccess?: boolean;
  /** Taints that are accepted. */
  tolerations?: DeviceToleration[];
  /** Amounts of capacity that are wanted. */
  capacity?: CapacityRequirements;
}

/** Network data of a device. */
export interface NetworkDeviceData {
  /** Name of the network interface. */
  interfaceName?: string;
  /** Addresses with prefix length, such as 192.0.2.5/24. */
  ips?: string[];
  /** Hardware address of the interface. */
  hardwareAddress?: string;
}

/** How much of a node resource a device stands for. */
export interface NodeAllocatableResourceMapping {
  /** Capacity of the device whose consumed amount counts; default the devices themselves. */
  capacityKey?: string;
  /** Factor for that amount or number; default 1. */
  allocationMultiplier?: string;
}

/** Settings that only a driver understands. */
export interface OpaqueDeviceConfiguration {
  /** The driver. */
  driver: string;
  /** The settings, at most 10 KiB. */
  parameters: unknown;
}

/** Asks for devices that Pods can use. */
export interface ResourceClaim {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: ResourceClaimSpec;
  /** The observed state, as the system last reported it. */
  status?: ResourceClaimStatus;
}

/** A user of a claim. */
export interface ResourceClaimConsumerReference {
  /** API group of the user; empty for core. */
  apiGroup?: string;
  /** Resource of the user, such as pods. */
  resource: string;
  /** Name of the user. */
  name: string;
  /** UID of the user. */
  uid: string;
}

/** A list of ResourceClaim objects. */
export interface ResourceClaimList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ResourceClaim[];
}

/** What is wanted; fixed after creation. */
export interface ResourceClaimSpec {
  /** The devices. */
  devices?: DeviceClaim;
}

/** What was allocated and who uses it. */
export interface ResourceClaimStatus {
  /** What was allocated; unset if nothing is. */
  allocation?: AllocationResult;
  /** Who may use the claim now; at most 256. */
  reservedFor?: ResourceClaimConsumerReference[];
  /** State of the devices, as their drivers report it. */
  devices?: AllocatedDeviceStatus[];
}

/** Template of claims, one for each Pod that names it. */
export interface ResourceClaimTemplate {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** What claims made from the template look like. */
  spec: ResourceClaimTemplateSpec;
}

/** A list of ResourceClaimTemplate objects. */
export interface ResourceClaimTemplateList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ResourceClaimTemplate[];
}

/** What claims made from a template look like. */
export interface ResourceClaimTemplateSpec {
  /** Labels and annotations of the claims. */
  metadata?: ObjectMeta;
  /** Spec of the claims. */
  spec: ResourceClaimSpec;
}

/** The pool that a slice belongs to. */
export interface ResourcePool {
  /** Name of the pool, often that of the node. */
  name: string;
  /** Number of the pool's state; older slices do not count. */
  generation: number;
  /** How many slices the pool has at this generation. */
  resourceSliceCount: number;
}

/** A part of a pool of devices, published by a driver. */
export interface ResourceSlice {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: ResourceSliceSpec;
}

/** A list of ResourceSlice objects. */
export interface ResourceSliceList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ResourceSlice[];
}

/** Driver, pool and devices of a slice. */
export interface ResourceSliceSpec {
  /** Name of the driver; fixed. */
  driver: string;
  /** The pool. */
  pool: ResourcePool;
  /** The only node that has the devices; fixed. */
  nodeName?: string;
  /** Nodes that have the devices. */
  nodeSelector?: NodeSelector;
  /** Whether all nodes have the devices. */
  allNodes?: boolean;
  /** The devices; at most 128. */
  devices?: Device[];
  /** Whether each device says which nodes have it. */
  perDeviceNodeSelection?: boolean;
  /** Amounts that devices of the pool share. */
  sharedCounters?: CounterSet[];
}

/** Taints devices that an administrator selects. */
export interface DeviceTaintRule {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The devices and the taint. */
  spec: DeviceTaintRuleSpec;
  /** The observed state, as the system last reported it. */
  status?: DeviceTaintRuleStatus;
}

/** A list of DeviceTaintRule objects. */
export interface DeviceTaintRuleList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: DeviceTaintRule[];
}

/** The devices and the taint. */
export interface DeviceTaintRuleSpec {
  /** Which devices; an empty selector is all, none is no device. */
  deviceSelector?: DeviceTaintSelector;
  /** The taint. */
  taint: DeviceTaint;
}

/** What became of a rule. */
export interface DeviceTaintRuleStatus {
  /** EvictionInProgress and others; at most 8. */
  conditions?: Condition[];
}

/** Devices that match all that is set. */
export interface DeviceTaintSelector {
  /** Driver of the device. */
  driver?: string;
  /** Pool of the device. */
  pool?: string;
  /** Name of the device. */
  device?: string;
}
