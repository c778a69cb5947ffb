// Generated from src/api by `npm run generate`. Do not edit.
import type { PersistentVolumeSpec, TopologySelectorTerm } from './core-v1.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type FSGroupPolicy = string;

export type VolumeBindingMode = string;

export type VolumeLifecycleMode = string;

/**  */
export interface CSIDriver {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: CSIDriverSpec;
}

/** A list of CSIDriver objects. */
export interface CSIDriverList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: CSIDriver[];
}

/**  */
export interface CSIDriverSpec {
  /**  */
  attachRequired?: boolean;
  /**  */
  podInfoOnMount?: boolean;
  /**  */
  volumeLifecycleModes?: string[];
  /**  */
  storageCapacity?: boolean;
  /**  */
  fsGroupPolicy?: string;
  /**  */
  tokenRequests?: TokenRequest[];
  /**  */
  requiresRepublish?: boolean;
  /**  */
  seLinuxMount?: boolean;
  /**  */
  nodeAllocatableUpdatePeriodSeconds?: number;
  /**  */
  serviceAccountTokenInSecrets?: boolean;
  /**  */
  preventPodSchedulingIfMissing?: boolean;
}

/**  */
export interface CSINode {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: CSINodeSpec;
}

/**  */
export interface CSINodeDriver {
  /**  */
  name: string;
  /**  */
  nodeID: string;
  /**  */
  topologyKeys?: string[];
  /**  */
  allocatable?: VolumeNodeResources;
}

/** A list of CSINode objects. */
export interface CSINodeList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: CSINode[];
}

/**  */
export interface CSINodeSpec {
  /**  */
  drivers: CSINodeDriver[];
}

/**  */
export interface CSIStorageCapacity {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  nodeTopology?: LabelSelector;
  /**  */
  storageClassName: string;
  /**  */
  capacity?: string;
  /**  */
  maximumVolumeSize?: string;
}

/** A list of CSIStorageCapacity objects. */
export interface CSIStorageCapacityList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: CSIStorageCapacity[];
}

/**  */
export interface StorageClass {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  provisioner: string;
  /**  */
  parameters?: Record<string, string>;
  /**  */
  reclaimPolicy?: string;
  /**  */
  mountOptions?: string[];
  /**  */
  allowVolumeExpansion?: boolean;
  /**  */
  volumeBindingMode?: string;
  /**  */
  allowedTopologies?: TopologySelectorTerm[];
}

/** A list of StorageClass objects. */
export interface StorageClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: StorageClass[];
}

/**  */
export interface TokenRequest {
  /**  */
  audience: string;
  /**  */
  expirationSeconds?: number;
}

/**  */
export interface VolumeAttachment {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: VolumeAttachmentSpec;
  /** The observed state, as the system last reported it. */
  status?: VolumeAttachmentStatus;
}

/** A list of VolumeAttachment objects. */
export interface VolumeAttachmentList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: VolumeAttachment[];
}

/**  */
export interface VolumeAttachmentSource {
  /**  */
  persistentVolumeName?: string;
  /**  */
  inlineVolumeSpec?: PersistentVolumeSpec;
}

/**  */
export interface VolumeAttachmentSpec {
  /**  */
  attacher: string;
  /**  */
  source: VolumeAttachmentSource;
  /**  */
  nodeName: string;
}

/**  */
export interface VolumeAttachmentStatus {
  /**  */
  attached: boolean;
  /**  */
  attachmentMetadata?: Record<string, string>;
  /**  */
  attachError?: VolumeError;
  /**  */
  detachError?: VolumeError;
}

/**  */
export interface VolumeAttributesClass {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  driverName: string;
  /**  */
  parameters?: Record<string, string>;
}

/** A list of VolumeAttributesClass objects. */
export interface VolumeAttributesClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: VolumeAttributesClass[];
}

/**  */
export interface VolumeError {
  /**  */
  time?: string;
  /**  */
  message?: string;
  /**  */
  errorCode?: number;
}

/**  */
export interface VolumeNodeResources {
  /**  */
  count?: number;
}
