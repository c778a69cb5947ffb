/** StopPodSandbox and RemovePodSandbox. Both are idempotent. */
import fs from 'node:fs';
import { removeContainer } from '../containers/remove-container.ts';
import { stopContainer } from '../containers/stop-container.ts';
import { isPinned } from '../linux/namespaces.ts';
import { deleteOciContainer } from '../oci-runtime.ts';
import type { SandboxRecord } from '../records/sandbox-record.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { networkSandbox } from './network-sandbox.ts';
import { releaseNamespaces, sandboxModes } from './sandbox-namespaces.ts';
import { publishSandboxEvent } from './sandbox-status.ts';

export async function stopSandbox(parts: RuntimeParts, idOrPrefix: string): Promise<void> {
  const id = parts.sandboxes.find(idOrPrefix)?.id;
  if (id === undefined) return;
  await Promise.all(containersOf(parts, id).map((container) => stopContainer(parts, container, { timeoutSeconds: 0 })));
  await parts.locks.run(id, async () => {
    const record = parts.sandboxes.get(id);
    if (record === undefined || record.phase === 'stopped') return;
    await releaseSandbox(parts, record);
    if (record.phase !== 'ready') return;
    parts.sandboxes.update(id, { phase: 'stopped', infra: undefined });
    publishSandboxEvent(parts, id, 'CONTAINER_STOPPED_EVENT');
  });
}

export async function removeSandbox(parts: RuntimeParts, idOrPrefix: string): Promise<void> {
  const id = parts.sandboxes.find(idOrPrefix)?.id;
  if (id === undefined) return;
  await stopSandbox(parts, id);
  await Promise.all(containersOf(parts, id).map((container) => removeContainer(parts, container)));
  await parts.locks.run(id, async () => {
    const record = parts.sandboxes.get(id);
    if (record === undefined) return;
    parts.sandboxes.update(id, { phase: 'removing' });
    await releaseSandbox(parts, record);
    await fs.promises.rm(parts.paths.sandbox(id).directory, { recursive: true, force: true });
    if (!record.config.linux?.cgroupParent) parts.cgroups.removeEmpty(parts.defaultCgroupParent);
    // Published before the record is removed, because the event contains the sandbox's status.
    publishSandboxEvent(parts, id, 'CONTAINER_DELETED_EVENT');
    parts.sandboxes.remove(id);
  });
}

function containersOf(parts: RuntimeParts, sandboxId: string): string[] {
  return [...parts.containers]
    .filter((container) => container.sandboxId === sandboxId)
    .map((container) => container.id);
}

/** Releases a sandbox's network, infra container and namespaces. Missing ones are skipped. */
export async function releaseSandbox(parts: RuntimeParts, record: SandboxRecord): Promise<void> {
  const { id, config } = record;
  const paths = parts.paths.sandbox(id);
  const modes = sandboxModes(config, parts.nodeNetns);
  if (!modes.hostNetwork && parts.network !== undefined) {
    const { netnsPath, ...sandbox } = networkSandbox(parts, record);
    await parts.network.detach(isPinned(paths.net) ? { ...sandbox, netnsPath: paths.net } : sandbox);
  }
  const runtime = parts.handlers.get(record.runtimeHandler);
  if (runtime !== undefined && (modes.sharedPid || modes.userNamespace)) await deleteOciContainer(runtime, id);
  releaseNamespaces(paths);
}
