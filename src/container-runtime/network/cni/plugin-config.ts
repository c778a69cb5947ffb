/** The configuration that a CNI plugin gets on standard input: its part of the list and the runtime's arguments. */
import { bandwidthOf } from '../bridge/bandwidth.ts';
import type { NetworkSandbox } from '../pod-network.ts';
import type { Json, JsonObject, NetworkList, PluginConfig } from './network-list.ts';

export interface RuntimeArguments {
  readonly capabilityArgs?: JsonObject | undefined;
  readonly prevResult?: JsonObject | undefined;
  /** For GC: the attachments that still exist. */
  readonly validAttachments?: readonly { readonly containerID: string; readonly ifname: string }[];
}

export function pluginConfig(
  list: NetworkList,
  plugin: PluginConfig,
  { capabilityArgs = {}, prevResult, validAttachments }: RuntimeArguments,
): JsonObject {
  const runtimeConfig = runtimeConfigFor(plugin, capabilityArgs);
  return {
    ...plugin,
    name: list.name,
    cniVersion: list.cniVersion,
    ...(Object.keys(runtimeConfig).length === 0 ? {} : { runtimeConfig }),
    ...(prevResult === undefined ? {} : { prevResult }),
    ...(validAttachments === undefined ? {} : { 'cni.dev/valid-attachments': validAttachments }),
  };
}

/** A plugin gets the arguments of the capabilities in its configuration. */
function runtimeConfigFor(plugin: PluginConfig, values: JsonObject): JsonObject {
  const { capabilities } = plugin;
  if (typeof capabilities !== 'object' || capabilities === null) return {};
  return Object.fromEntries(Object.entries(values).filter(([name]) => (capabilities as JsonObject)[name] === true));
}

export function capabilityArguments(sandbox: NetworkSandbox, podCidrs: readonly string[]): JsonObject {
  const { portMappings = [], annotations = {}, cgroupParent } = sandbox;
  const { ingress, egress } = bandwidthOf(annotations);
  const mapped = portMappings.filter(({ hostPort }) => (hostPort ?? 0) > 0);
  return {
    ...(mapped.length === 0
      ? {}
      : {
          portMappings: mapped.map(({ hostPort, containerPort, protocol, hostIp }): Json => ({
            hostPort: hostPort!,
            containerPort,
            protocol: protocol.toLowerCase(),
            ...(hostIp === undefined || hostIp === '' ? {} : { hostIP: hostIp }),
          })),
        }),
    ...(ingress === undefined && egress === undefined
      ? {}
      : {
          bandwidth: {
            ...(ingress === undefined ? {} : { ingressRate: ingress, ingressBurst: burst(ingress) }),
            ...(egress === undefined ? {} : { egressRate: egress, egressBurst: burst(egress) }),
          },
        }),
    ...(podCidrs.length === 0 ? {} : { ipRanges: podCidrs.map((subnet) => [{ subnet }]) }),
    ...(cgroupParent === undefined ? {} : { cgroupPath: cgroupParent }),
    'io.kubernetes.cri.pod-annotations': annotations,
  };
}

/** In bits: a tenth of a second at the rate, and at least ten frames. */
const burst = (bitsPerSecond: number): number =>
  Math.min(Math.max(Math.ceil(bitsPerSecond / 10), 10 * 1500 * 8), 2 ** 31 - 1);

export function cniArguments({ namespace, name, id, uid }: NetworkSandbox): (readonly [string, string])[] {
  return [
    ['IgnoreUnknown', '1'],
    ['K8S_POD_NAMESPACE', namespace],
    ['K8S_POD_NAME', name],
    ['K8S_POD_INFRA_CONTAINER_ID', id],
    ['K8S_POD_UID', uid],
  ];
}
