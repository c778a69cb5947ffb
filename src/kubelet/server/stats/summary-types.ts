/** The types of the Summary API (stats/v1alpha1). */
export interface CpuStats {
  readonly time: string;
  readonly usageNanoCores?: number;
  readonly usageCoreNanoSeconds?: number;
}

export interface MemoryStats {
  readonly time: string;
  readonly availableBytes?: number;
  readonly usageBytes?: number;
  readonly workingSetBytes?: number;
  readonly rssBytes?: number;
  readonly pageFaults?: number;
  readonly majorPageFaults?: number;
}

export interface FsStats {
  readonly time: string;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  readonly inodesFree?: number;
  readonly inodes?: number;
  readonly inodesUsed?: number;
}

interface InterfaceStats {
  readonly name: string;
  readonly rxBytes?: number;
  readonly rxErrors?: number;
  readonly txBytes?: number;
  readonly txErrors?: number;
}

export interface NetworkStats extends InterfaceStats {
  readonly time: string;
  readonly interfaces: readonly InterfaceStats[];
}

export interface ContainerSummary {
  readonly name: string;
  readonly startTime: string;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly rootfs?: FsStats;
  readonly logs?: FsStats;
}

export interface VolumeSummary extends FsStats {
  readonly name: string;
  readonly pvcRef?: { readonly name: string; readonly namespace: string };
  /** Only from drivers with the capability VOLUME_CONDITION. */
  readonly volumeHealthStats?: { readonly abnormal: boolean };
}

export interface PodSummary {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly startTime: string;
  readonly containers: readonly ContainerSummary[];
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly network?: NetworkStats;
  readonly volume?: readonly VolumeSummary[];
  readonly 'ephemeral-storage'?: FsStats;
  readonly process_stats?: { readonly process_count: number };
}

export interface NodeSummary {
  readonly nodeName: string;
  readonly startTime: string;
  readonly cpu: CpuStats;
  readonly memory: MemoryStats;
  readonly network?: NetworkStats;
  readonly fs?: FsStats;
  readonly runtime?: { readonly imageFs: FsStats; readonly containerFs: FsStats };
  readonly rlimit?: { readonly time: string; readonly maxpid: number; readonly curproc: number };
}

export interface Summary {
  readonly node: NodeSummary;
  readonly pods: readonly PodSummary[];
}
