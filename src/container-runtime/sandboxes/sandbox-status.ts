/** Sandbox lookup, list, status and events for CRI. */
import {
  CriError,
  type ContainerEventType,
  type PodSandbox,
  type PodSandboxFilter,
  type PodSandboxState,
  type PodSandboxStatus,
} from '../../cri/index.ts';
import { containerStatus } from '../containers/container-status.ts';
import { matchesLabels } from '../label-filter.ts';
import { isAlive } from '../linux/processes.ts';
import type { SandboxRecord } from '../records/sandbox-record.ts';
import { nowNanoseconds, type RuntimeParts } from '../runtime-parts.ts';

export function findSandbox(parts: RuntimeParts, idOrPrefix: string | undefined): SandboxRecord {
  const record = parts.sandboxes.find(idOrPrefix ?? '');
  if (record === undefined || record.phase === 'creating')
    throw new CriError(
      'NOT_FOUND',
      `an error occurred when try to find sandbox: not found: ${JSON.stringify(idOrPrefix ?? '')}`,
    );
  return record;
}

export function sandboxState({ phase, infra }: SandboxRecord): PodSandboxState {
  return phase === 'ready' && (infra === undefined || isAlive(infra)) ? 'SANDBOX_READY' : 'SANDBOX_NOTREADY';
}

export function listSandboxes(parts: RuntimeParts, filter: PodSandboxFilter = {}): PodSandbox[] {
  const only = filter.id ? parts.sandboxes.find(filter.id)?.id : undefined;
  if (filter.id && only === undefined) return [];
  const listed: PodSandbox[] = [];
  for (const record of parts.sandboxes) {
    if (record.phase === 'creating' || (only !== undefined && record.id !== only)) continue;
    const { config } = record;
    const state = sandboxState(record);
    if (filter.state !== undefined && (filter.state.state ?? 'SANDBOX_READY') !== state) continue;
    if (!matchesLabels(config.labels, filter.labelSelector)) continue;
    listed.push({
      id: record.id,
      ...identityOf(record),
      state,
      createdAt: record.createdAt,
      runtimeHandler: record.runtimeHandler,
    });
  }
  return listed;
}

/** Absent maps stay absent. */
function identityOf({
  config: { metadata, labels, annotations },
}: SandboxRecord): Pick<PodSandbox, 'metadata' | 'labels' | 'annotations'> {
  return { ...(metadata && { metadata }), ...(labels && { labels }), ...(annotations && { annotations }) };
}

export function sandboxStatus(record: SandboxRecord): PodSandboxStatus {
  const [ip = '', ...others] = record.ips ?? [];
  const options = record.config.linux?.securityContext?.namespaceOptions;
  return {
    id: record.id,
    ...identityOf(record),
    state: sandboxState(record),
    createdAt: record.createdAt,
    network: { ip, additionalIps: others.map((other) => ({ ip: other })) },
    linux: { namespaces: { options: { network: 'POD', pid: 'POD', ipc: 'POD', ...options } } },
    runtimeHandler: record.runtimeHandler,
  };
}

/** Publishes an event of the sandbox itself, whose container id is the sandbox id. */
export function publishSandboxEvent(parts: RuntimeParts, id: string, type: ContainerEventType): void {
  publishEvent(parts, { containerId: id, sandboxId: id, type });
}

export function publishEvent(
  parts: RuntimeParts,
  { containerId, sandboxId, type }: { containerId: string; sandboxId: string; type: ContainerEventType },
): void {
  if (!parts.events.hasListeners) return;
  const sandbox = parts.sandboxes.get(sandboxId);
  const statuses = [...parts.containers]
    .filter((container) => container.sandboxId === sandboxId && container.phase !== 'creating')
    .map((container) => containerStatus(parts, container));
  parts.events.publish({
    containerId,
    containerEventType: type,
    createdAt: nowNanoseconds(parts.ctx),
    ...(sandbox && { podSandboxStatus: sandboxStatus(sandbox) }),
    containersStatuses: statuses,
  });
}
