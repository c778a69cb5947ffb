// Generated from dra-health-v1alpha1.proto by `npm run generate`. Do not edit.

export interface DRAResourceHealth {
  nodeWatchResources(request: NodeWatchResourcesRequest, options?: { signal?: AbortSignal }): AsyncIterable<NodeWatchResourcesResponse>;
}

export interface NodeWatchResourcesRequest {
}

export type HealthStatus = 'UNKNOWN' | 'HEALTHY' | 'UNHEALTHY';

export interface DeviceIdentifier {
  readonly poolName?: string;
  readonly deviceName?: string;
}

export interface DeviceHealth {
  readonly device?: DeviceIdentifier;
  readonly health?: HealthStatus;
  readonly lastUpdatedTime?: number;
  readonly healthCheckTimeoutSeconds?: number;
  readonly message?: string;
}

export interface NodeWatchResourcesResponse {
  readonly devices?: readonly DeviceHealth[];
}

export const PACKAGE = 'v1alpha1';

export const descriptor = {"nested":{"v1alpha1":{"nested":{"DRAResourceHealth":{"methods":{"NodeWatchResources":{"requestType":"NodeWatchResourcesRequest","responseType":"NodeWatchResourcesResponse","responseStream":true}}},"NodeWatchResourcesRequest":{"fields":{}},"HealthStatus":{"values":{"UNKNOWN":0,"HEALTHY":1,"UNHEALTHY":2}},"DeviceIdentifier":{"fields":{"poolName":{"type":"string","id":1},"deviceName":{"type":"string","id":2}}},"DeviceHealth":{"fields":{"device":{"type":"DeviceIdentifier","id":1},"health":{"type":"HealthStatus","id":2},"lastUpdatedTime":{"type":"int64","id":3},"healthCheckTimeoutSeconds":{"type":"int64","id":4},"message":{"type":"string","id":5}}},"NodeWatchResourcesResponse":{"fields":{"devices":{"rule":"repeated","type":"DeviceHealth","id":1}}}}}}} as const;
