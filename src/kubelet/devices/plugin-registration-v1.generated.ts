// Generated from plugin-registration-v1.proto by `npm run generate`. Do not edit.

export interface Registration {
  getInfo(request: InfoRequest, options?: { signal?: AbortSignal }): Promise<PluginInfo>;
  notifyRegistrationStatus(request: RegistrationStatus, options?: { signal?: AbortSignal }): Promise<RegistrationStatusResponse>;
}

export interface InfoRequest {
}

export interface PluginInfo {
  readonly type?: string;
  readonly name?: string;
  readonly endpoint?: string;
  readonly supportedVersions?: readonly string[];
}

export interface RegistrationStatus {
  readonly pluginRegistered?: boolean;
  readonly error?: string;
}

export interface RegistrationStatusResponse {
}

export const PACKAGE = 'pluginregistration';

export const descriptor = {"nested":{"pluginregistration":{"nested":{"Registration":{"methods":{"GetInfo":{"requestType":"InfoRequest","responseType":"PluginInfo"},"NotifyRegistrationStatus":{"requestType":"RegistrationStatus","responseType":"RegistrationStatusResponse"}}},"InfoRequest":{"fields":{}},"PluginInfo":{"fields":{"type":{"type":"string","id":1},"name":{"type":"string","id":2},"endpoint":{"type":"string","id":3},"supportedVersions":{"rule":"repeated","type":"string","id":4}}},"RegistrationStatus":{"fields":{"pluginRegistered":{"type":"bool","id":1},"error":{"type":"string","id":2}}},"RegistrationStatusResponse":{"fields":{}}}}}} as const;
