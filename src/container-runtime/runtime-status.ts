/** Answers CRI's Version and Status calls. */
import { K8TS_VERSION } from '../base/index.ts';
import type { RuntimeCondition, StatusResponse, VersionResponse } from '../cri/index.ts';
import type { RuntimeParts } from './runtime-parts.ts';

export const RUNTIME_NAME = 'k8ts';
export const RUNTIME_VERSION = K8TS_VERSION;

export function runtimeVersion(): VersionResponse {
  return { version: '0.1.0', runtimeName: RUNTIME_NAME, runtimeVersion: RUNTIME_VERSION, runtimeApiVersion: 'v1' };
}

export async function runtimeStatus(parts: RuntimeParts, { verbose }: { verbose: boolean }): Promise<StatusResponse> {
  const conditions: RuntimeCondition[] = [
    { type: 'RuntimeReady', status: true, reason: '', message: '' },
    await networkCondition(parts),
  ];
  return {
    status: { conditions },
    runtimeHandlers: [...new Set(['', ...parts.handlers.keys()])].map((name) => ({
      name,
      // The subordinate ids of a user are too few for a range for each pod.
      features: { recursiveReadOnlyMounts: true, userNamespaces: !parts.host.userNamespace },
    })),
    features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
    ...(verbose ? { info: { config: JSON.stringify(verboseConfig(parts)) } } : {}),
  };
}

async function networkCondition(parts: RuntimeParts): Promise<RuntimeCondition> {
  const notReady = { type: 'NetworkReady', status: false, reason: 'NetworkPluginNotReady' };
  if (parts.network === undefined)
    return { ...notReady, message: 'Network plugin returns error: the runtime has no pod network' };
  const { ready, reason, message = '' } = await parts.network.ready();
  if (ready) return { type: 'NetworkReady', status: true, reason: '', message: '' };
  return { ...notReady, reason: reason ?? notReady.reason, message: `Network plugin returns error: ${message}` };
}

function verboseConfig(parts: RuntimeParts): object {
  return {
    rootDirectory: parts.rootDirectory,
    handlers: Object.fromEntries([...parts.handlers].map(([name, runtime]) => [name, runtime.path])),
    defaultHandler: parts.defaultHandler,
    conmon: parts.conmon,
    cgroupDriver: parts.systemdCgroups ? 'systemd' : 'cgroupfs',
    cgroupVersion: parts.host.cgroupVersion,
    network: parts.network?.kind ?? 'none',
  };
}
