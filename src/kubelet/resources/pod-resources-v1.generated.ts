// Generated from pod-resources-v1.proto by `npm run generate`. Do not edit.

export interface PodResourcesLister {
  list(request: ListPodResourcesRequest, options?: { signal?: AbortSignal }): Promise<ListPodResourcesResponse>;
  getAllocatableResources(request: AllocatableResourcesRequest, options?: { signal?: AbortSignal }): Promise<AllocatableResourcesResponse>;
  get(request: GetPodResourcesRequest, options?: { signal?: AbortSignal }): Promise<GetPodResourcesResponse>;
}

export interface AllocatableResourcesRequest {
}

export interface AllocatableResourcesResponse {
  readonly devices?: readonly ContainerDevices[];
  readonly cpuIds?: readonly number[];
  readonly memory?: readonly ContainerMemory[];
}

export interface ListPodResourcesRequest {
}

export interface ListPodResourcesResponse {
  readonly podResources?: readonly PodResources[];
}

export interface PodResources {
  readonly name?: string;
  readonly namespace?: string;
  readonly containers?: readonly ContainerResources[];
}

export interface ContainerResources {
  readonly name?: string;
  readonly devices?: readonly ContainerDevices[];
  readonly cpuIds?: readonly number[];
  readonly memory?: readonly ContainerMemory[];
  readonly dynamicResources?: readonly DynamicResource[];
}

export interface ContainerMemory {
  readonly memoryType?: string;
  readonly size?: number;
  readonly topology?: TopologyInfo;
}

export interface ContainerDevices {
  readonly resourceName?: string;
  readonly deviceIds?: readonly string[];
  readonly topology?: TopologyInfo;
}

export interface TopologyInfo {
  readonly nodes?: readonly NUMANode[];
}

export interface NUMANode {
  readonly ID?: number;
}

export interface DynamicResource {
  readonly claimName?: string;
  readonly claimNamespace?: string;
  readonly claimResources?: readonly ClaimResource[];
}

export interface ClaimResource {
  readonly cdiDevices?: readonly CDIDevice[];
  readonly driverName?: string;
  readonly poolName?: string;
  readonly deviceName?: string;
  readonly shareId?: string;
}

export interface CDIDevice {
  readonly name?: string;
}

export interface GetPodResourcesRequest {
  readonly podName?: string;
  readonly podNamespace?: string;
}

export interface GetPodResourcesResponse {
  readonly podResources?: PodResources;
}

export const PACKAGE = 'v1';

export const descriptor = {"nested":{"v1":{"nested":{"PodResourcesLister":{"methods":{"List":{"requestType":"ListPodResourcesRequest","responseType":"ListPodResourcesResponse"},"GetAllocatableResources":{"requestType":"AllocatableResourcesRequest","responseType":"AllocatableResourcesResponse"},"Get":{"requestType":"GetPodResourcesRequest","responseType":"GetPodResourcesResponse"}}},"AllocatableResourcesRequest":{"fields":{}},"AllocatableResourcesResponse":{"fields":{"devices":{"rule":"repeated","type":"ContainerDevices","id":1},"cpuIds":{"rule":"repeated","type":"int64","id":2},"memory":{"rule":"repeated","type":"ContainerMemory","id":3}}},"ListPodResourcesRequest":{"fields":{}},"ListPodResourcesResponse":{"fields":{"podResources":{"rule":"repeated","type":"PodResources","id":1}}},"PodResources":{"fields":{"name":{"type":"string","id":1},"namespace":{"type":"string","id":2},"containers":{"rule":"repeated","type":"ContainerResources","id":3}}},"ContainerResources":{"fields":{"name":{"type":"string","id":1},"devices":{"rule":"repeated","type":"ContainerDevices","id":2},"cpuIds":{"rule":"repeated","type":"int64","id":3},"memory":{"rule":"repeated","type":"ContainerMemory","id":4},"dynamicResources":{"rule":"repeated","type":"DynamicResource","id":5}}},"ContainerMemory":{"fields":{"memoryType":{"type":"string","id":1},"size":{"type":"uint64","id":2},"topology":{"type":"TopologyInfo","id":3}}},"ContainerDevices":{"fields":{"resourceName":{"type":"string","id":1},"deviceIds":{"rule":"repeated","type":"string","id":2},"topology":{"type":"TopologyInfo","id":3}}},"TopologyInfo":{"fields":{"nodes":{"rule":"repeated","type":"NUMANode","id":1}}},"NUMANode":{"fields":{"ID":{"type":"int64","id":1}}},"DynamicResource":{"fields":{"claimName":{"type":"string","id":2},"claimNamespace":{"type":"string","id":3},"claimResources":{"rule":"repeated","type":"ClaimResource","id":4}},"reserved":[[1,1]]},"ClaimResource":{"oneofs":{"_shareId":{"oneof":["shareId"]}},"fields":{"cdiDevices":{"rule":"repeated","type":"CDIDevice","id":1},"driverName":{"type":"string","id":2},"poolName":{"type":"string","id":3},"deviceName":{"type":"string","id":4},"shareId":{"type":"string","id":5,"options":{"proto3_optional":true}}}},"CDIDevice":{"fields":{"name":{"type":"string","id":1}}},"GetPodResourcesRequest":{"fields":{"podName":{"type":"string","id":1},"podNamespace":{"type":"string","id":2}}},"GetPodResourcesResponse":{"fields":{"podResources":{"type":"PodResources","id":1}}}}}}} as const;
