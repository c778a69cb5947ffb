// Generated from src/api by `npm run generate`. Do not edit.
import type { Condition, ListMeta, ObjectMeta } from './meta-v1.ts';

export type AllocationConfigSource = string;

export type DeviceAllocationMode = string;

export type DeviceTaintEffect = string;

export type DeviceTolerationOperator = string;

export type FullyQualifiedName = string;

export type QualifiedName = string;

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

/** How many devices of a pool are in use. */
export interface PoolStatus {
  /** Driver of the pool. */
  driver: string;
  /** Name of the pool. */
  poolName: string;
  /** Number of the pool's state that was counted. */
  generation: number;
  /** How many slices the pool has. */
  resourceSliceCount?: number;
  /** How many devices there are. */
  totalDevices?: number;
  /** How many are allocated. */
  allocatedDevices?: number;
  /** How many can be allocated. */
  availableDevices?: number;
  /** How many cannot be allocated and are not, because of taints. */
  unavailableDevices?: number;
  /** The node of the pool, if it has one. */
  nodeName?: string;
  /** Why the pool was not counted. */
  validationError?: string;
}

/** Asks once how many devices of pools are in use. */
export interface ResourcePoolStatusRequest {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The pools; fixed. */
  spec: ResourcePoolStatusRequestSpec;
  /** The answer; fixed once it is there. */
  status?: ResourcePoolStatusRequestStatus;
}

/** A list of ResourcePoolStatusRequest objects. */
export interface ResourcePoolStatusRequestList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ResourcePoolStatusRequest[];
}

/** The pools that are asked about. */
export interface ResourcePoolStatusRequestSpec {
  /** Driver of the pools. */
  driver: string;
  /** The only pool; unset for all of the driver. */
  poolName?: string;
  /** Most pools in the answer, from 1 to 1000. */
  limit?: number;
}

/** The answer. */
export interface ResourcePoolStatusRequestStatus {
  /** How many pools match, even if not all are listed. */
  poolCount?: number;
  /** The pools, sorted by driver and name. */
  pools?: PoolStatus[];
  /** Complete or Failed, with reasons; at most 10. */
  conditions?: Condition[];
}
