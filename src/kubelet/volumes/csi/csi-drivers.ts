/** What volumes ask of the CSI drivers that have registered on this node. */
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
  /** Absent for a volume that is written inline in the pod. */
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
  /** Whether the kubelet has to give the files to the pod's fsGroup; drivers may do so themselves, or not want it. */
  readonly needsOwnership: boolean;
  /** When the driver wants to be asked again. */
  readonly refreshAt?: number;
}

/** What a driver says of a published volume. */
export interface VolumeUsage {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  readonly inodesUsed: number;
  /** From drivers that watch over their volumes. */
  readonly abnormal?: boolean;
}

/** A pod's use of a claim's volume. */
export interface ClaimUse {
  readonly pod: Pod;
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
  /** Of the pod's volume. */
  readonly directory: string;
  readonly readOnly: boolean;
}

export interface CsiDrivers {
  /** Stages the volume where the driver wants it, and publishes it. Asked again it publishes again. */
  mount(request: CsiMount): Promise<CsiMounted>;
  /** Undoes `mount` by what it left in the directory. */
  unmount(directory: string): Promise<void>;
  /** Grows the file system of a mounted volume whose claim has grown, now and whenever it grows again until it is unmounted. */
  expand(use: ClaimUse): Promise<void>;
  /** Somebody touched the pod. */
  podChanged(uid: string): void;
  /** Undefined for volumes of drivers that do not tell. */
  usage(directory: string): Promise<VolumeUsage | undefined>;
}
