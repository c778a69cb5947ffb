// Generated from device-plugin-v1beta1.proto by `npm run generate`. Do not edit.

export interface Registration {
  register(request: RegisterRequest, options?: { signal?: AbortSignal }): Promise<Empty>;
}

export interface DevicePlugin {
  getDevicePluginOptions(request: Empty, options?: { signal?: AbortSignal }): Promise<DevicePluginOptions>;
  listAndWatch(request: Empty, options?: { signal?: AbortSignal }): AsyncIterable<ListAndWatchResponse>;
  getPreferredAllocation(request: PreferredAllocationRequest, options?: { signal?: AbortSignal }): Promise<PreferredAllocationResponse>;
  allocate(request: AllocateRequest, options?: { signal?: AbortSignal }): Promise<AllocateResponse>;
  preStartContainer(request: PreStartContainerRequest, options?: { signal?: AbortSignal }): Promise<PreStartContainerResponse>;
}

export interface Empty {
}

export interface DevicePluginOptions {
  readonly preStartRequired?: boolean;
  readonly getPreferredAllocationAvailable?: boolean;
}

export interface RegisterRequest {
  readonly version?: string;
  readonly endpoint?: string;
  readonly resourceName?: string;
  readonly options?: DevicePluginOptions;
}

export interface ListAndWatchResponse {
  readonly devices?: readonly PluginDevice[];
}

export interface TopologyInfo {
  readonly nodes?: readonly NUMANode[];
}

export interface NUMANode {
  readonly ID?: number;
}

export interface PluginDevice {
  readonly ID?: string;
  readonly health?: string;
  readonly topology?: TopologyInfo;
}

export interface PreStartContainerRequest {
  readonly devicesIds?: readonly string[];
}

export interface PreStartContainerResponse {
}

export interface PreferredAllocationRequest {
  readonly containerRequests?: readonly ContainerPreferredAllocationRequest[];
}

export interface ContainerPreferredAllocationRequest {
  readonly availableDeviceIDs?: readonly string[];
  readonly mustIncludeDeviceIDs?: readonly string[];
  readonly allocationSize?: number;
}

export interface PreferredAllocationResponse {
  readonly containerResponses?: readonly ContainerPreferredAllocationResponse[];
}

export interface ContainerPreferredAllocationResponse {
  readonly deviceIDs?: readonly string[];
}

export interface AllocateRequest {
  readonly containerRequests?: readonly ContainerAllocateRequest[];
}

export interface ContainerAllocateRequest {
  readonly devicesIds?: readonly string[];
}

export interface PluginCDIDevice {
  readonly name?: string;
}

export interface AllocateResponse {
  readonly containerResponses?: readonly ContainerAllocateResponse[];
}

export interface ContainerAllocateResponse {
  readonly envs?: Readonly<Record<string, string>>;
  readonly mounts?: readonly PluginMount[];
  readonly devices?: readonly DeviceSpec[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly cdiDevices?: readonly PluginCDIDevice[];
}

export interface PluginMount {
  readonly containerPath?: string;
  readonly hostPath?: string;
  readonly readOnly?: boolean;
}

export interface DeviceSpec {
  readonly containerPath?: string;
  readonly hostPath?: string;
  readonly permissions?: string;
}

export const PACKAGE = 'v1beta1';

export const descriptor = {"nested":{"v1beta1":{"nested":{"Registration":{"methods":{"Register":{"requestType":"RegisterRequest","responseType":"Empty"}}},"DevicePlugin":{"methods":{"GetDevicePluginOptions":{"requestType":"Empty","responseType":"DevicePluginOptions"},"ListAndWatch":{"requestType":"Empty","responseType":"ListAndWatchResponse","responseStream":true},"GetPreferredAllocation":{"requestType":"PreferredAllocationRequest","responseType":"PreferredAllocationResponse"},"Allocate":{"requestType":"AllocateRequest","responseType":"AllocateResponse"},"PreStartContainer":{"requestType":"PreStartContainerRequest","responseType":"PreStartContainerResponse"}}},"Empty":{"fields":{}},"DevicePluginOptions":{"fields":{"preStartRequired":{"type":"bool","id":1},"getPreferredAllocationAvailable":{"type":"bool","id":2}}},"RegisterRequest":{"fields":{"version":{"type":"string","id":1},"endpoint":{"type":"string","id":2},"resourceName":{"type":"string","id":3},"options":{"type":"DevicePluginOptions","id":4}}},"ListAndWatchResponse":{"fields":{"devices":{"rule":"repeated","type":"PluginDevice","id":1}}},"TopologyInfo":{"fields":{"nodes":{"rule":"repeated","type":"NUMANode","id":1}}},"NUMANode":{"fields":{"ID":{"type":"int64","id":1}}},"PluginDevice":{"fields":{"ID":{"type":"string","id":1},"health":{"type":"string","id":2},"topology":{"type":"TopologyInfo","id":3}}},"PreStartContainerRequest":{"fields":{"devicesIds":{"rule":"repeated","type":"string","id":1}}},"PreStartContainerResponse":{"fields":{}},"PreferredAllocationRequest":{"fields":{"containerRequests":{"rule":"repeated","type":"ContainerPreferredAllocationRequest","id":1}}},"ContainerPreferredAllocationRequest":{"fields":{"availableDeviceIDs":{"rule":"repeated","type":"string","id":1},"mustIncludeDeviceIDs":{"rule":"repeated","type":"string","id":2},"allocationSize":{"type":"int32","id":3}}},"PreferredAllocationResponse":{"fields":{"containerResponses":{"rule":"repeated","type":"ContainerPreferredAllocationResponse","id":1}}},"ContainerPreferredAllocationResponse":{"fields":{"deviceIDs":{"rule":"repeated","type":"string","id":1}}},"AllocateRequest":{"fields":{"containerRequests":{"rule":"repeated","type":"ContainerAllocateRequest","id":1}}},"ContainerAllocateRequest":{"fields":{"devicesIds":{"rule":"repeated","type":"string","id":1}}},"PluginCDIDevice":{"fields":{"name":{"type":"string","id":1}}},"AllocateResponse":{"fields":{"containerResponses":{"rule":"repeated","type":"ContainerAllocateResponse","id":1}}},"ContainerAllocateResponse":{"fields":{"envs":{"keyType":"string","type":"string","id":1},"mounts":{"rule":"repeated","type":"PluginMount","id":2},"devices":{"rule":"repeated","type":"DeviceSpec","id":3},"annotations":{"keyType":"string","type":"string","id":4},"cdiDevices":{"rule":"repeated","type":"PluginCDIDevice","id":5}}},"PluginMount":{"fields":{"containerPath":{"type":"string","id":1},"hostPath":{"type":"string","id":2},"readOnly":{"type":"bool","id":3}}},"DeviceSpec":{"fields":{"containerPath":{"type":"string","id":1},"hostPath":{"type":"string","id":2},"permissions":{"type":"string","id":3}}}}}}} as const;
