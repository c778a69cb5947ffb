import type { NetworkSandbox } from '../network/index.ts';
import type { SandboxRecord } from '../records/sandbox-record.ts';
import type { RuntimeParts } from '../runtime-parts.ts';

/** A sandbox as the pod network knows it. */
export function networkSandbox(parts: RuntimeParts, { id, config }: SandboxRecord): NetworkSandbox {
  const { metadata = {}, annotations, portMappings = [], linux } = config;
  return {
    id,
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    uid: metadata.uid ?? '',
    netnsPath: parts.paths.sandbox(id).net,
    ...(annotations === undefined ? {} : { annotations }),
    portMappings: portMappings.map(({ protocol = 'TCP', containerPort = 0, hostPort = 0, hostIp = '' }) => ({
      protocol,
      containerPort,
      hostPort,
      hostIp,
    })),
    ...(linux?.cgroupParent === undefined ? {} : { cgroupParent: linux.cgroupParent }),
  };
}
