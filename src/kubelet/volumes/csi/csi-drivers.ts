/** The interface of volume plugins to the CSI drivers that are registered on this node. */
import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from '../../../api/generated/core-v1.ts';

export interface CsiMount {
  readonly pod: Pod;
  /** The name of the volume in the pod. */
  readonly specName: string;
  /** `ROOT/pods/UID/volumes/kubernetes.io~csi/NAME`; the driver publishes to `mount` below it. */
  readonly directory: string;
  /** Undefined for an inline volume. */
  readonly persistentVolume?: PersistentVolume;
  readonly source: Pick<
    CSIPersistentVolumeSource,
    | 'driver'
    | 'fsType'
    | 'readOnly'
    | 'volumeAttributes'
    | 'volumeHandle'
    | 'nodePublishSecretRef'
    | 'nodeStageSecretRef'
  >;
  readonly block: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface CsiMounted {
  readonly path: string;
  /** Whether the kubelet must set the fsGroup; by fsGroupPolicy, or when the driver does not. */
  readonly needsOwnership: boolean;
  /** When the volume must be republished. */
  readonly refreshAt?: number;
}

/** Stats of a published volume from its driver. */
export interface VolumeUsage {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  readonly inodesUsed: number;
  /** Only from drivers with the capability VOLUME_CONDITION. */
  readonly abnormal?: boolean;
}

/** A pod's use of a claim's volume. */
export interface ClaimUse {
  readonly pod: Pod;
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
  /** The directory of the pod's volume. */
  readonly directory: string;
  readonly readOnly: boolean;
}

export interface CsiDrivers {
  /** Stages the volume if the driver supports it, and publishes it. Called again, republishes it. */
  mount(request: CsiMount): Promise<CsiMounted>;
  /** Unpublishes and unstages the volume, by the data that `mount` stored in the directory. */
  unmount(directory: string): Promise<void>;
  /** Expands the mounted volume of a resized claim, now and after later resizes until it is unmounted. */
  expand(use: ClaimUse): Promise<void>;
  /** The pod's labels or annotations changed: checks its claims at once. */
  podChanged(uid: string): void;
  /** The driver could not attach another volume: asks it how many the node can have. */
  attachLimitReached(driver: string): Promise<void>;
  /** Undefined when the driver does not report stats. */
  usage(directory: string): Promise<VolumeUsage | undefined>;
}
