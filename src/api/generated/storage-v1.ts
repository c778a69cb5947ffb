// Generated from src/api by `npm run generate`. Do not edit.
import type { PersistentVolumeSpec, TopologySelectorTerm } from './core-v1.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type FSGroupPolicy = string;

export type VolumeBindingMode = string;

export type VolumeLifecycleMode = string;

/** A CSI driver and what it needs from the cluster. */
export interface CSIDriver {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: CSIDriverSpec;
}

/** A list of CSIDriver objects. */
export interface CSIDriverList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: CSIDriver[];
}

/** What a CSI driver needs and can do. */
export interface CSIDriverSpec {
  /** Whether volumes must be attached before mounting; default true; fixed. */
  attachRequired?: boolean;
  /** Whether the Pod's name and so on are passed on mount; default false. */
  podInfoOnMount?: boolean;
  /** Persistent (default), Ephemeral or both; fixed. */
  volumeLifecycleModes?: string[];
  /** Whether scheduling looks at the capacity the driver reports; default false. */
  storageCapacity?: boolean;
  /** Ownership changes: ReadWriteOnceWithFSType (default), File or None. */
  fsGroupPolicy?: string;
  /** ServiceAccount tokens that the driver needs on mount. */
  tokenRequests?: TokenRequest[];
  /** Whether mounts are repeated regularly, to pass changes; default false. */
  requiresRepublish?: boolean;
  /** Whether the driver can mount with an SELinux context; default false. */
  seLinuxMount?: boolean;
  /** Seconds between updates of the nodes' volume limits; at least 10. */
  nodeAllocatableUpdatePeriodSeconds?: number;
  /** Pass tokens as secrets, not in the volume context; default false. */
  serviceAccountTokenInSecrets?: boolean;
  /** Keep Pods off nodes that lack the driver; default false. */
  preventPodSchedulingIfMissing?: boolean;
}

/** The CSI drivers of a node. */
export interface CSINode {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: CSINodeSpec;
}

/** A CSI driver on a node. */
export interface CSINodeDriver {
  /** Name of the driver. */
  name: string;
  /** Name of the node, as the driver knows it. */
  nodeID: string;
  /** Node labels that the driver uses for topology. */
  topologyKeys?: string[];
  /** How many volumes the driver can serve on the node. */
  allocatable?: VolumeNodeResources;
}

/** A list of CSINode objects. */
export interface CSINodeList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: CSINode[];
}

/** The CSI drivers of a node. */
export interface CSINodeSpec {
  /** The drivers. */
  drivers: CSINodeDriver[];
}

/** Space for new volumes of one class in one part of the cluster. */
export interface CSIStorageCapacity {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Nodes for which it holds; unset for none, empty for all. */
  nodeTopology?: LabelSelector;
  /** The StorageClass; fixed. */
  storageClassName: string;
  /** Space that is left; unset if not known. */
  capacity?: string;
  /** Largest volume that can be made. */
  maximumVolumeSize?: string;
}

/** A list of CSIStorageCapacity objects. */
export interface CSIStorageCapacityList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: CSIStorageCapacity[];
}

/** How volumes of a class are made. */
export interface StorageClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Who makes the volumes, such as a CSI driver. */
  provisioner: string;
  /** Settings for the provisioner. */
  parameters?: Record<string, string>;
  /** Policy of the volumes: Delete (default) or Retain. */
  reclaimPolicy?: string;
  /** Mount options of the volumes, not checked. */
  mountOptions?: string[];
  /** Whether volumes of the class can grow. */
  allowVolumeExpansion?: boolean;
  /** Immediate (default) or WaitForFirstConsumer. */
  volumeBindingMode?: string;
  /** Where volumes may be made; empty for anywhere. */
  allowedTopologies?: TopologySelectorTerm[];
}

/** A list of StorageClass objects. */
export interface StorageClassList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: StorageClass[];
}

/** A ServiceAccount token that a driver needs. */
export interface TokenRequest {
  /** Audience of the token; "" for the API server. */
  audience: string;
  /** Lifetime of the token in seconds; default 3600. */
  expirationSeconds?: number;
}

/** Attaches a volume to a node. */
export interface VolumeAttachment {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
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
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: VolumeAttachment[];
}

/** The volume to attach; exactly one member. */
export interface VolumeAttachmentSource {
  /** Name of the PersistentVolume. */
  persistentVolumeName?: string;
  /** A volume written in place, for migrated in-tree volumes. */
  inlineVolumeSpec?: PersistentVolumeSpec;
}

/** Which volume is attached where, and by whom. */
export interface VolumeAttachmentSpec {
  /** Name of the CSI driver that attaches. */
  attacher: string;
  /** The volume. */
  source: VolumeAttachmentSource;
  /** The node. */
  nodeName: string;
}

/** State of an attachment. */
export interface VolumeAttachmentStatus {
  /** Whether the volume is attached. */
  attached: boolean;
  /** Information from the attacher, for mounting. */
  attachmentMetadata?: Record<string, string>;
  /** Last error while attaching. */
  attachError?: VolumeError;
  /** Last error while detaching. */
  detachError?: VolumeError;
}

/** Settings of volumes that can be changed later. */
export interface VolumeAttributesClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Name of the CSI driver; fixed. */
  driverName: string;
  /** Settings for the driver; fixed. */
  parameters?: Record<string, string>;
}

/** A list of VolumeAttributesClass objects. */
export interface VolumeAttributesClassList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: VolumeAttributesClass[];
}

/** An error of a volume operation. */
export interface VolumeError {
  /** When it occurred. */
  time?: string;
  /** The error; may be logged, so it holds no secrets. */
  message?: string;
  /** gRPC code of the error, if there is one. */
  errorCode?: number;
}

/** How many volumes a driver can serve on a node. */
export interface VolumeNodeResources {
  /** Most volumes at once; unset for no limit. */
  count?: number;
}
