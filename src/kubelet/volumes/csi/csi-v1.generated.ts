// Generated from csi-v1.proto by `npm run generate`. Do not edit.

export interface Identity {
  getPluginInfo(request: GetPluginInfoRequest, options?: { signal?: AbortSignal }): Promise<GetPluginInfoResponse>;
}

export interface Node {
  nodeStageVolume(request: NodeStageVolumeRequest, options?: { signal?: AbortSignal }): Promise<NodeStageVolumeResponse>;
  nodeUnstageVolume(request: NodeUnstageVolumeRequest, options?: { signal?: AbortSignal }): Promise<NodeUnstageVolumeResponse>;
  nodePublishVolume(request: NodePublishVolumeRequest, options?: { signal?: AbortSignal }): Promise<NodePublishVolumeResponse>;
  nodeUnpublishVolume(request: NodeUnpublishVolumeRequest, options?: { signal?: AbortSignal }): Promise<NodeUnpublishVolumeResponse>;
  nodeGetVolumeStats(request: NodeGetVolumeStatsRequest, options?: { signal?: AbortSignal }): Promise<NodeGetVolumeStatsResponse>;
  nodeExpandVolume(request: NodeExpandVolumeRequest, options?: { signal?: AbortSignal }): Promise<NodeExpandVolumeResponse>;
  nodeGetCapabilities(request: NodeGetCapabilitiesRequest, options?: { signal?: AbortSignal }): Promise<NodeGetCapabilitiesResponse>;
  nodeGetInfo(request: NodeGetInfoRequest, options?: { signal?: AbortSignal }): Promise<NodeGetInfoResponse>;
}

export interface GetPluginInfoRequest {
}

export interface GetPluginInfoResponse {
  readonly name?: string;
  readonly vendorVersion?: string;
}

export interface VolumeCapability {
  readonly block?: BlockVolume;
  readonly mount?: MountVolume;
  readonly accessMode?: AccessMode;
}

export interface BlockVolume {
}

export interface MountVolume {
  readonly fsType?: string;
  readonly mountFlags?: readonly string[];
  readonly volumeMountGroup?: string;
}

export interface AccessMode {
  readonly mode?: AccessModeKind;
}

export type AccessModeKind = 'UNKNOWN' | 'SINGLE_NODE_WRITER' | 'SINGLE_NODE_READER_ONLY' | 'MULTI_NODE_READER_ONLY' | 'MULTI_NODE_SINGLE_WRITER' | 'MULTI_NODE_MULTI_WRITER' | 'SINGLE_NODE_SINGLE_WRITER' | 'SINGLE_NODE_MULTI_WRITER';

export interface NodeStageVolumeRequest {
  readonly volumeId?: string;
  readonly publishContext?: Readonly<Record<string, string>>;
  readonly stagingTargetPath?: string;
  readonly volumeCapability?: VolumeCapability;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly volumeContext?: Readonly<Record<string, string>>;
}

export interface NodeStageVolumeResponse {
}

export interface NodeUnstageVolumeRequest {
  readonly volumeId?: string;
  readonly stagingTargetPath?: string;
}

export interface NodeUnstageVolumeResponse {
}

export interface NodePublishVolumeRequest {
  readonly volumeId?: string;
  readonly publishContext?: Readonly<Record<string, string>>;
  readonly stagingTargetPath?: string;
  readonly targetPath?: string;
  readonly volumeCapability?: VolumeCapability;
  readonly readonly?: boolean;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly volumeContext?: Readonly<Record<string, string>>;
}

export interface NodePublishVolumeResponse {
}

export interface NodeUnpublishVolumeRequest {
  readonly volumeId?: string;
  readonly targetPath?: string;
}

export interface NodeUnpublishVolumeResponse {
}

export interface NodeGetVolumeStatsRequest {
  readonly volumeId?: string;
  readonly volumePath?: string;
  readonly stagingTargetPath?: string;
}

export interface NodeGetVolumeStatsResponse {
  readonly usage?: readonly VolumeUsage[];
  readonly volumeCondition?: VolumeCondition;
}

export interface VolumeUsage {
  readonly available?: number;
  readonly total?: number;
  readonly used?: number;
  readonly unit?: UsageUnit;
}

export type UsageUnit = 'UNKNOWN_UNIT' | 'BYTES' | 'INODES';

export interface VolumeCondition {
  readonly abnormal?: boolean;
  readonly message?: string;
}

export interface NodeExpandVolumeRequest {
  readonly volumeId?: string;
  readonly volumePath?: string;
  readonly capacityRange?: CapacityRange;
  readonly stagingTargetPath?: string;
  readonly volumeCapability?: VolumeCapability;
  readonly secrets?: Readonly<Record<string, string>>;
}

export interface CapacityRange {
  readonly requiredBytes?: number;
  readonly limitBytes?: number;
}

export interface NodeExpandVolumeResponse {
  readonly capacityBytes?: number;
}

export interface NodeGetCapabilitiesRequest {
}

export interface NodeGetCapabilitiesResponse {
  readonly capabilities?: readonly NodeServiceCapability[];
}

export interface NodeServiceCapability {
  readonly rpc?: NodeCapabilityRpc;
}

export interface NodeCapabilityRpc {
  readonly type?: NodeCapabilityType;
}

export type NodeCapabilityType = 'UNKNOWN_CAPABILITY' | 'STAGE_UNSTAGE_VOLUME' | 'GET_VOLUME_STATS' | 'EXPAND_VOLUME' | 'VOLUME_CONDITION' | 'SINGLE_NODE_MULTI_WRITER_CAPABILITY' | 'VOLUME_MOUNT_GROUP';

export interface NodeGetInfoRequest {
}

export interface NodeGetInfoResponse {
  readonly nodeId?: string;
  readonly maxVolumesPerNode?: number;
  readonly accessibleTopology?: Topology;
}

export interface Topology {
  readonly segments?: Readonly<Record<string, string>>;
}

export const PACKAGE = 'csi.v1';

export const descriptor = {"nested":{"csi":{"nested":{"v1":{"nested":{"Identity":{"methods":{"GetPluginInfo":{"requestType":"GetPluginInfoRequest","responseType":"GetPluginInfoResponse"}}},"Node":{"methods":{"NodeStageVolume":{"requestType":"NodeStageVolumeRequest","responseType":"NodeStageVolumeResponse"},"NodeUnstageVolume":{"requestType":"NodeUnstageVolumeRequest","responseType":"NodeUnstageVolumeResponse"},"NodePublishVolume":{"requestType":"NodePublishVolumeRequest","responseType":"NodePublishVolumeResponse"},"NodeUnpublishVolume":{"requestType":"NodeUnpublishVolumeRequest","responseType":"NodeUnpublishVolumeResponse"},"NodeGetVolumeStats":{"requestType":"NodeGetVolumeStatsRequest","responseType":"NodeGetVolumeStatsResponse"},"NodeExpandVolume":{"requestType":"NodeExpandVolumeRequest","responseType":"NodeExpandVolumeResponse"},"NodeGetCapabilities":{"requestType":"NodeGetCapabilitiesRequest","responseType":"NodeGetCapabilitiesResponse"},"NodeGetInfo":{"requestType":"NodeGetInfoRequest","responseType":"NodeGetInfoResponse"}}},"GetPluginInfoRequest":{"fields":{}},"GetPluginInfoResponse":{"fields":{"name":{"type":"string","id":1},"vendorVersion":{"type":"string","id":2}}},"VolumeCapability":{"fields":{"block":{"type":"BlockVolume","id":1},"mount":{"type":"MountVolume","id":2},"accessMode":{"type":"AccessMode","id":3}}},"BlockVolume":{"fields":{}},"MountVolume":{"fields":{"fsType":{"type":"string","id":1},"mountFlags":{"rule":"repeated","type":"string","id":2},"volumeMountGroup":{"type":"string","id":3}}},"AccessMode":{"fields":{"mode":{"type":"AccessModeKind","id":1}}},"AccessModeKind":{"values":{"UNKNOWN":0,"SINGLE_NODE_WRITER":1,"SINGLE_NODE_READER_ONLY":2,"MULTI_NODE_READER_ONLY":3,"MULTI_NODE_SINGLE_WRITER":4,"MULTI_NODE_MULTI_WRITER":5,"SINGLE_NODE_SINGLE_WRITER":6,"SINGLE_NODE_MULTI_WRITER":7}},"NodeStageVolumeRequest":{"fields":{"volumeId":{"type":"string","id":1},"publishContext":{"keyType":"string","type":"string","id":2},"stagingTargetPath":{"type":"string","id":3},"volumeCapability":{"type":"VolumeCapability","id":4},"secrets":{"keyType":"string","type":"string","id":5},"volumeContext":{"keyType":"string","type":"string","id":6}}},"NodeStageVolumeResponse":{"fields":{}},"NodeUnstageVolumeRequest":{"fields":{"volumeId":{"type":"string","id":1},"stagingTargetPath":{"type":"string","id":2}}},"NodeUnstageVolumeResponse":{"fields":{}},"NodePublishVolumeRequest":{"fields":{"volumeId":{"type":"string","id":1},"publishContext":{"keyType":"string","type":"string","id":2},"stagingTargetPath":{"type":"string","id":3},"targetPath":{"type":"string","id":4},"volumeCapability":{"type":"VolumeCapability","id":5},"readonly":{"type":"bool","id":6},"secrets":{"keyType":"string","type":"string","id":7},"volumeContext":{"keyType":"string","type":"string","id":8}}},"NodePublishVolumeResponse":{"fields":{}},"NodeUnpublishVolumeRequest":{"fields":{"volumeId":{"type":"string","id":1},"targetPath":{"type":"string","id":2}}},"NodeUnpublishVolumeResponse":{"fields":{}},"NodeGetVolumeStatsRequest":{"fields":{"volumeId":{"type":"string","id":1},"volumePath":{"type":"string","id":2},"stagingTargetPath":{"type":"string","id":3}}},"NodeGetVolumeStatsResponse":{"fields":{"usage":{"rule":"repeated","type":"VolumeUsage","id":1},"volumeCondition":{"type":"VolumeCondition","id":2}}},"VolumeUsage":{"fields":{"available":{"type":"int64","id":1},"total":{"type":"int64","id":2},"used":{"type":"int64","id":3},"unit":{"type":"UsageUnit","id":4}}},"UsageUnit":{"values":{"UNKNOWN_UNIT":0,"BYTES":1,"INODES":2}},"VolumeCondition":{"fields":{"abnormal":{"type":"bool","id":1},"message":{"type":"string","id":2}}},"NodeExpandVolumeRequest":{"fields":{"volumeId":{"type":"string","id":1},"volumePath":{"type":"string","id":2},"capacityRange":{"type":"CapacityRange","id":3},"stagingTargetPath":{"type":"string","id":4},"volumeCapability":{"type":"VolumeCapability","id":5},"secrets":{"keyType":"string","type":"string","id":6}}},"CapacityRange":{"fields":{"requiredBytes":{"type":"int64","id":1},"limitBytes":{"type":"int64","id":2}}},"NodeExpandVolumeResponse":{"fields":{"capacityBytes":{"type":"int64","id":1}}},"NodeGetCapabilitiesRequest":{"fields":{}},"NodeGetCapabilitiesResponse":{"fields":{"capabilities":{"rule":"repeated","type":"NodeServiceCapability","id":1}}},"NodeServiceCapability":{"fields":{"rpc":{"type":"NodeCapabilityRpc","id":1}}},"NodeCapabilityRpc":{"fields":{"type":{"type":"NodeCapabilityType","id":1}}},"NodeCapabilityType":{"values":{"UNKNOWN_CAPABILITY":0,"STAGE_UNSTAGE_VOLUME":1,"GET_VOLUME_STATS":2,"EXPAND_VOLUME":3,"VOLUME_CONDITION":4,"SINGLE_NODE_MULTI_WRITER_CAPABILITY":5,"VOLUME_MOUNT_GROUP":6}},"NodeGetInfoRequest":{"fields":{}},"NodeGetInfoResponse":{"fields":{"nodeId":{"type":"string","id":1},"maxVolumesPerNode":{"type":"int64","id":2},"accessibleTopology":{"type":"Topology","id":3}}},"Topology":{"fields":{"segments":{"keyType":"string","type":"string","id":1}}}}}}}}} as const;
