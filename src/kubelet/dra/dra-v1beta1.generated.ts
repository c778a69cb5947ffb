// Generated from dra-v1beta1.proto by `npm run generate`. Do not edit.

export interface DRAPlugin {
  nodePrepareResources(request: NodePrepareResourcesRequest, options?: { signal?: AbortSignal }): Promise<NodePrepareResourcesResponse>;
  nodeUnprepareResources(request: NodeUnprepareResourcesRequest, options?: { signal?: AbortSignal }): Promise<NodeUnprepareResourcesResponse>;
}

export interface NodePrepareResourcesRequest {
  readonly claims?: readonly Claim[];
}

export interface NodePrepareResourcesResponse {
  readonly claims?: Readonly<Record<string, NodePrepareResourceResponse>>;
}

export interface NodePrepareResourceResponse {
  readonly devices?: readonly Device[];
  readonly error?: string;
}

export interface Device {
  readonly requestNames?: readonly string[];
  readonly poolName?: string;
  readonly deviceName?: string;
  readonly cdiDeviceIds?: readonly string[];
  readonly shareId?: string;
}

export interface NodeUnprepareResourcesRequest {
  readonly claims?: readonly Claim[];
}

export interface NodeUnprepareResourcesResponse {
  readonly claims?: Readonly<Record<string, NodeUnprepareResourceResponse>>;
}

export interface NodeUnprepareResourceResponse {
  readonly error?: string;
}

export interface Claim {
  readonly namespace?: string;
  readonly uid?: string;
  readonly name?: string;
}

export const PACKAGE = 'k8s.io.kubelet.pkg.apis.dra.v1beta1';

export const descriptor = {"nested":{"k8s":{"nested":{"io":{"nested":{"kubelet":{"nested":{"pkg":{"nested":{"apis":{"nested":{"dra":{"nested":{"v1beta1":{"nested":{"DRAPlugin":{"methods":{"NodePrepareResources":{"requestType":"NodePrepareResourcesRequest","responseType":"NodePrepareResourcesResponse"},"NodeUnprepareResources":{"requestType":"NodeUnprepareResourcesRequest","responseType":"NodeUnprepareResourcesResponse"}}},"NodePrepareResourcesRequest":{"fields":{"claims":{"rule":"repeated","type":"Claim","id":1}}},"NodePrepareResourcesResponse":{"fields":{"claims":{"keyType":"string","type":"NodePrepareResourceResponse","id":1}}},"NodePrepareResourceResponse":{"fields":{"devices":{"rule":"repeated","type":"Device","id":1},"error":{"type":"string","id":2}}},"Device":{"oneofs":{"_shareId":{"oneof":["shareId"]}},"fields":{"requestNames":{"rule":"repeated","type":"string","id":1},"poolName":{"type":"string","id":2},"deviceName":{"type":"string","id":3},"cdiDeviceIds":{"rule":"repeated","type":"string","id":4},"shareId":{"type":"string","id":5,"options":{"proto3_optional":true}}}},"NodeUnprepareResourcesRequest":{"fields":{"claims":{"rule":"repeated","type":"Claim","id":1}}},"NodeUnprepareResourcesResponse":{"fields":{"claims":{"keyType":"string","type":"NodeUnprepareResourceResponse","id":1}}},"NodeUnprepareResourceResponse":{"fields":{"error":{"type":"string","id":1}}},"Claim":{"fields":{"namespace":{"type":"string","id":1},"uid":{"type":"string","id":2},"name":{"type":"string","id":3}}}}}}}}}}}}}}}}}}} as const;
