/** RunPodSandbox: creates the sandbox's namespaces, files and network; removes them all if a step fails. */
import fs from 'node:fs';
import { errorMessage } from '../../base/index.ts';
import { CriError, type PodSandboxConfig, type RunPodSandboxRequest } from '../../cri/index.ts';
import { makeDirectorySync } from '../../kernel/index.ts';
import type { NetworkSandbox } from '../network/index.ts';
import type { OciRuntime } from '../oci-runtime.ts';
import type { SandboxRecord } from '../records/sandbox-record.ts';
import { newId, nowNanoseconds, type RuntimeParts } from '../runtime-parts.ts';
import { startInfra } from './infra-container.ts';
import { networkSandbox } from './network-sandbox.ts';
import { writeSandboxFiles } from './sandbox-files.ts';
import {
  createNamespaces,
  mountSharedMemory,
  sandboxHostname,
  sandboxModes,
  splitSysctls,
} from './sandbox-namespaces.ts';
import { publishSandboxEvent } from './sandbox-status.ts';
import { releaseSandbox } from './stop-sandbox.ts';

export async function runSandbox(parts: RuntimeParts, request: RunPodSandboxRequest): Promise<string> {
  const config = request.config;
  if (config?.metadata?.name === undefined || config.metadata.uid === undefined)
    throw new CriError('INVALID_ARGUMENT', 'the sandbox config has no metadata');
  const handler = request.runtimeHandler || parts.defaultHandler;
  const runtime = parts.handlers.get(handler);
  if (runtime === undefined)
    throw new CriError(
      'UNKNOWN',
      `failed to get sandbox runtime: no runtime for ${JSON.stringify(handler)} is configured`,
    );
  checkNameIsFree(parts, config);

  const record = parts.sandboxes.put({
    id: newId(parts.ctx),
    phase: 'creating',
    config,
    runtimeHandler: handler,
    createdAt: nowNanoseconds(parts.ctx),
  });
  return parts.locks.run(record.id, async () => {
    try {
      await setUp(parts, record, runtime);
    } catch (error) {
      await releaseSandbox(parts, record);
      await fs.promises.rm(parts.paths.sandbox(record.id).directory, { recursive: true, force: true });
      parts.sandboxes.remove(record.id);
      throw error;
    }
    publishSandboxEvent(parts, record.id, 'CONTAINER_CREATED_EVENT');
    publishSandboxEvent(parts, record.id, 'CONTAINER_STARTED_EVENT');
    return record.id;
  });
}

async function setUp(parts: RuntimeParts, record: SandboxRecord, runtime: OciRuntime): Promise<void> {
  const { id, config } = record;
  const modes = sandboxModes(config, parts.nodeNetns);
  const paths = parts.paths.sandbox(id);
  const sysctls = splitSysctls(config, modes);
  const hostname = sandboxHostname(config, parts.nodeHostname);
  makeDirectorySync(paths.directory, { mode: 0o711 });
  writeSandboxFiles(paths, { dns: config.dnsConfig, hostname });
  if (!modes.hostIpc) mountSharedMemory(paths);
  if (!modes.userNamespace) createNamespaces(paths, modes, { hostname, sysctls: sysctls.others });

  const infra =
    modes.userNamespace || modes.sharedPid
      ? startInfra(parts, { id, config, runtime, modes, hostname, sysctls: sysctls.others })
      : undefined;
  // With a user namespace, the infra process creates the network namespace. Otherwise infra and network start
  // concurrently.
  if (modes.userNamespace) await infra;
  const attached = modes.hostNetwork
    ? undefined
    : attach(parts, { ...networkSandbox(parts, record), sysctls: sysctls.network });
  const [infraResult, attachResult] = await Promise.allSettled([infra, attached]);
  if (infraResult.status === 'rejected')
    throw new Error(`failed to start sandbox: ${errorMessage(infraResult.reason)}`, { cause: infraResult.reason });
  if (attachResult.status === 'rejected')
    throw new Error(`failed to setup network for sandbox "${id}": ${errorMessage(attachResult.reason)}`, {
      cause: attachResult.reason,
    });
  parts.sandboxes.put({
    ...record,
    phase: 'ready',
    ...(attachResult.value === undefined ? {} : { ips: attachResult.value }),
    ...(infraResult.value === undefined ? {} : { infra: infraResult.value }),
  });
}

async function attach(parts: RuntimeParts, sandbox: NetworkSandbox): Promise<readonly string[]> {
  if (parts.network === undefined) throw new Error('the runtime has no pod network');
  return (await parts.network.attach(sandbox)).ips;
}

/** A retried call whose first answer was lost must not create a second sandbox of the same attempt. */
function checkNameIsFree(
  parts: RuntimeParts,
  { metadata: { name, uid, namespace = '', attempt = 0 } = {} }: PodSandboxConfig,
): void {
  for (const {
    id,
    config: { metadata: other = {} },
  } of parts.sandboxes) {
    if (
      other.uid !== uid ||
      other.name !== name ||
      (other.namespace ?? '') !== namespace ||
      (other.attempt ?? 0) !== attempt
    )
      continue;
    throw new CriError(
      'UNKNOWN',
      `failed to reserve sandbox name "${name}_${namespace}_${uid}_${attempt}": name is reserved for "${id}"`,
    );
  }
}
