// Generated from src/api by `npm run generate`. Do not edit.
import type { NodeSelector } from './core-v1.ts';
import type { Condition, ListMeta, ObjectMeta } from './meta-v1.ts';

export type AllocationConfigSource = string;

export type DeviceAllocationMode = string;

export type DeviceTaintEffect = string;

export type DeviceTolerationOperator = string;

export type FullyQualifiedName = string;

export type QualifiedName = string;

/**  */
export interface AllocatedDeviceStatus {
  /**  */
  driver: string;
  /**  */
  pool: string;
  /**  */
  device: string;
  /**  */
  shareID?: string;
  /**  */
  conditions?: Condition[];
  /**  */
  data?: unknown;
  /**  */
  networkData?: NetworkDeviceData;
}

/**  */
export interface AllocationResult {
  /**  */
  devices?: DeviceAllocationResult;
  /**  */
  nodeSelector?: NodeSelector;
  /**  */
  allocationTimestamp?: string;
}

/**  */
export interface CELDeviceSelector {
  /**  */
  expression: string;
}

/**  */
export interface CapacityRequestPolicy {
  /**  */
  default?: string;
  /**  */
  validValues?: string[];
  /**  */
  validRange?: CapacityRequestPolicyRange;
}

/**  */
export interface CapacityRequestPolicyRange {
  /**  */
  min?: string;
  /**  */
  max?: string;
  /**  */
  step?: string;
}

/**  */
export interface CapacityRequirements {
  /**  */
  requests?: Record<string, string>;
}

/**  */
export interface Counter {
  /**  */
  value: string;
}

/**  */
export interface CounterSet {
  /**  */
  name: string;
  /**  */
  counters: Record<string, Counter>;
}

/**  */
export interface Device {
  /**  */
  name: string;
  /**  */
  attributes?: Record<string, DeviceAttribute>;
  /**  */
  capacity?: Record<string, DeviceCapacity>;
  /**  */
  consumesCounters?: DeviceCounterConsumption[];
  /**  */
  nodeName?: string;
  /**  */
  nodeSelector?: NodeSelector;
  /**  */
  allNodes?: boolean;
  /**  */
  taints?: DeviceTaint[];
  /**  */
  bindsToNode?: boolean;
  /**  */
  bindingConditions?: string[];
  /**  */
  bindingFailureConditions?: string[];
  /**  */
  allowMultipleAllocations?: boolean;
  /**  */
  nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping>;
}

/**  */
export interface DeviceAllocationConfiguration {
  /**  */
  source: string;
  /**  */
  requests?: string[];
  /**  */
  opaque?: OpaqueDeviceConfiguration;
}

/**  */
export interface DeviceAllocationResult {
  /**  */
  results?: DeviceRequestAllocationResult[];
  /**  */
  config?: DeviceAllocationConfiguration[];
}

/**  */
export interface DeviceAttribute {
  /**  */
  int?: number;
  /**  */
  bool?: boolean;
  /**  */
  string?: string;
  /**  */
  version?: string;
  /**  */
  ints?: number[];
  /**  */
  bools?: boolean[];
  /**  */
  strings?: string[];
  /**  */
  versions?: string[];
}

/**  */
export interface DeviceCapacity {
  /**  */
  value: string;
  /**  */
  requestPolicy?: CapacityRequestPolicy;
}

/**  */
export interface DeviceClaim {
  /**  */
  requests?: DeviceRequest[];
  /**  */
  constraints?: DeviceConstraint[];
  /**  */
  config?: DeviceClaimConfiguration[];
}

/**  */
export interface DeviceClaimConfiguration {
  /**  */
  requests?: string[];
  /**  */
  opaque?: OpaqueDeviceConfiguration;
}

/**  */
export interface DeviceClass {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: DeviceClassSpec;
}

/**  */
export interface DeviceClassConfiguration {
  /**  */
  opaque?: OpaqueDeviceConfiguration;
}

/** A list of DeviceClass objects. */
export interface DeviceClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: DeviceClass[];
}

/**  */
export interface DeviceClassSpec {
  /**  */
  selectors?: DeviceSelector[];
  /**  */
  config?: DeviceClassConfiguration[];
  /**  */
  extendedResourceName?: string;
}

/**  */
export interface DeviceConfiguration {
  /**  */
  opaque?: OpaqueDeviceConfiguration;
}

/**  */
export interface DeviceConstraint {
  /**  */
  requests?: string[];
  /**  */
  matchAttribute?: string;
  /**  */
  distinctAttribute?: string;
}

/**  */
export interface DeviceCounterConsumption {
  /**  */
  counterSet: string;
  /**  */
  counters: Record<string, Counter>;
}

/**  */
export interface DeviceRequest {
  /**  */
  name: string;
  /**  */
  exactly?: ExactDeviceRequest;
  /**  */
  firstAvailable?: DeviceSubRequest[];
}

/**  */
export interface DeviceRequestAllocationResult {
  /**  */
  request: string;
  /**  */
  driver: string;
  /**  */
  pool: string;
  /**  */
  device: string;
  /**  */
  adminAccess?: boolean;
  /**  */
  tolerations?: DeviceToleration[];
  /**  */
  bindingConditions?: string[];
  /**  */
  bindingFailureConditions?: string[];
  /**  */
  shareID?: string;
  /**  */
  consumedCapacity?: Record<string, string>;
}

/**  */
export interface DeviceSelector {
  /**  */
  cel?: CELDeviceSelector;
}

/**  */
export interface DeviceSubRequest {
  /**  */
  name: string;
  /**  */
  deviceClassName: string;
  /**  */
  selectors?: DeviceSelector[];
  /**  */
  allocationMode?: string;
  /**  */
  count?: number;
  /**  */
  tolerations?: DeviceToleration[];
  /**  */
  capacity?: CapacityRequirements;
}

/**  */
export interface DeviceTaint {
  /**  */
  key: string;
  /**  */
  value?: string;
  /**  */
  effect: string;
  /**  */
  timeAdded?: string;
}

/**  */
export interface DeviceToleration {
  /**  */
  key?: string;
  /**  */
  operator?: string;
  /**  */
  value?: string;
  /**  */
  effect?: string;
  /**  */
  tolerationSeconds?: number;
}

/**  */
export interface ExactDeviceRequest {
  /**  */
  deviceClassName: string;
  /**  */
  selectors?: DeviceSelector[];
  /**  */
  allocationMode?: string;
  /**  */
  count?: number;
  /**  */
  adminAccess?: boolean;
  /**  */
  tolerations?: DeviceToleration[];
  /**  */
  capacity?: CapacityRequirements;
}

/**  */
export interface NetworkDeviceData {
  /**  */
  interfaceName?: string;
  /**  */
  ips?: string[];
  /**  */
  hardwareAddress?: string;
}

/**  */
export interface NodeAllocatableResourceMapping {
  /**  */
  capacityKey?: string;
  /**  */
  allocationMultiplier?: string;
}

/**  */
export interface OpaqueDeviceConfiguration {
  /**  */
  driver: string;
  /**  */
  parameters: unknown;
}

/**  */
export interface ResourceClaim {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: ResourceClaimSpec;
  /** The observed state, as the system last reported it. */
  status?: ResourceClaimStatus;
}

/**  */
export interface ResourceClaimConsumerReference {
  /**  */
  apiGroup?: string;
  /**  */
  resource: string;
  /**  */
  name: string;
  /**  */
  uid: string;
}

/** A list of ResourceClaim objects. */
export interface ResourceClaimList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ResourceClaim[];
}

/**  */
export interface ResourceClaimSpec {
  /**  */
  devices?: DeviceClaim;
}

/**  */
export interface ResourceClaimStatus {
  /**  */
  allocation?: AllocationResult;
  /**  */
  reservedFor?: ResourceClaimConsumerReference[];
  /**  */
  devices?: AllocatedDeviceStatus[];
}

/**  */
export interface ResourceClaimTemplate {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** What claims made from the template look like. */
  spec: ResourceClaimTemplateSpec;
}

/** A list of ResourceClaimTemplate objects. */
export interface ResourceClaimTemplateList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ResourceClaimTemplate[];
}

/**  */
export interface ResourceClaimTemplateSpec {
  /**  */
  metadata?: ObjectMeta;
  /**  */
  spec: ResourceClaimSpec;
}

/**  */
export interface ResourcePool {
  /**  */
  name: string;
  /**  */
  generation: number;
  /**  */
  resourceSliceCount: number;
}

/**  */
export interface ResourceSlice {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: ResourceSliceSpec;
}

/** A list of ResourceSlice objects. */
export interface ResourceSliceList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ResourceSlice[];
}

/**  */
export interface ResourceSliceSpec {
  /**  */
  driver: string;
  /**  */
  pool: ResourcePool;
  /**  */
  nodeName?: string;
  /**  */
  nodeSelector?: NodeSelector;
  /**  */
  allNodes?: boolean;
  /**  */
  devices?: Device[];
  /**  */
  perDeviceNodeSelection?: boolean;
  /**  */
  sharedCounters?: CounterSet[];
}
