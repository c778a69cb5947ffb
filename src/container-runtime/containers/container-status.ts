/** Container lookup, list and status for CRI. */
import {
  CriError,
  type Container,
  type ContainerFilter,
  type ContainerState,
  type ContainerStatus,
  type ImageSpec,
  type Signal,
} from '../../cri/index.ts';
import { matchesLabels } from '../label-filter.ts';
import type { ContainerPhase, ContainerRecord } from '../records/container-record.ts';
import type { RuntimeParts } from '../runtime-parts.ts';

const STATES: Readonly<Record<ContainerPhase, ContainerState>> = {
  creating: 'CONTAINER_CREATED',
  created: 'CONTAINER_CREATED',
  // The container's process is created but not started yet.
  starting: 'CONTAINER_CREATED',
  running: 'CONTAINER_RUNNING',
  exited: 'CONTAINER_EXITED',
  removing: 'CONTAINER_EXITED',
};

export function findContainer(parts: RuntimeParts, idOrPrefix: string | undefined): ContainerRecord {
  const record = parts.containers.find(idOrPrefix ?? '');
  if (record === undefined || record.phase === 'creating')
    throw new CriError(
      'NOT_FOUND',
      `an error occurred when try to find container ${JSON.stringify(idOrPrefix ?? '')}: not found`,
    );
  return record;
}

/** Fails unless the container is running. */
export function findRunningContainer(parts: RuntimeParts, idOrPrefix: string | undefined): ContainerRecord {
  const record = findContainer(parts, idOrPrefix);
  if (record.phase !== 'running')
    throw new CriError('FAILED_PRECONDITION', `container ${record.id} is in ${containerState(record)} state`);
  return record;
}

export function containerState({ phase }: ContainerRecord): ContainerState {
  return STATES[phase];
}

export function listContainers(parts: RuntimeParts, filter: ContainerFilter = {}): Container[] {
  const only = filter.id ? parts.containers.find(filter.id)?.id : undefined;
  const sandbox = filter.podSandboxId
    ? (parts.sandboxes.find(filter.podSandboxId)?.id ?? filter.podSandboxId)
    : undefined;
  if (filter.id && only === undefined) return [];
  const listed: Container[] = [];
  for (const record of parts.containers) {
    const { id, config, sandboxId, createdAt } = record;
    if (
      record.phase === 'creating' ||
      (only !== undefined && id !== only) ||
      (sandbox !== undefined && sandboxId !== sandbox)
    )
      continue;
    const state = containerState(record);
    if (filter.state !== undefined && (filter.state.state ?? 'CONTAINER_CREATED') !== state) continue;
    if (!matchesLabels(config.labels, filter.labelSelector)) continue;
    listed.push({
      ...{ id, podSandboxId: sandboxId, state, createdAt },
      ...identityOf(record),
      ...(config.image && { image: config.image }),
      imageRef: record.imageId,
      imageId: record.imageId,
    });
  }
  return listed;
}

function identityOf({
  config: { metadata, labels, annotations },
}: ContainerRecord): Pick<Container, 'metadata' | 'labels' | 'annotations'> {
  return { ...(metadata && { metadata }), ...(labels && { labels }), ...(annotations && { annotations }) };
}

export function containerStatus(parts: RuntimeParts, record: ContainerRecord): ContainerStatus {
  const {
    id,
    config,
    createdAt,
    startedAt = 0,
    finishedAt = 0,
    exitCode = 0,
    reason = '',
    message = '',
    logPath = '',
    user,
    resources,
  } = record;
  const { image, imageRef } = imageNames(parts, record);
  return {
    ...{ id, state: containerState(record), createdAt, startedAt, finishedAt, exitCode, reason, message, logPath },
    ...identityOf(record),
    ...{ image, imageRef, imageId: record.imageId },
    mounts: config.mounts ?? [],
    ...(resources && { resources: { linux: resources } }),
    ...(user && { user: { linux: user } }),
    stopSignal: criSignal(record.stopSignal),
  };
}

/** The image's current names, or those that the container was created with if the image is gone. */
function imageNames(
  parts: RuntimeParts,
  { imageId, imageRef, config }: ContainerRecord,
): { image: ImageSpec; imageRef: string } {
  const stored = parts.images.resolve(imageId);
  if (stored === undefined) return { image: config.image ?? {}, imageRef };
  const wanted = config.image?.userSpecifiedImage;
  const tag = stored.tags.find((name) => name === wanted) ?? stored.tags[0];
  return {
    image: { ...config.image, ...(tag === undefined ? {} : { image: tag }) },
    imageRef: stored.digests[0] ?? imageId,
  };
}

/** CRI's Signal enum has names only, so a signal that the image gives as a number becomes RUNTIME_DEFAULT. */
function criSignal(signal: string): Signal {
  const name = signal
    .toUpperCase()
    .replace(/^(?!SIG)/, 'SIG')
    .replace('+', 'PLUS')
    .replace('-', 'MINUS');
  return /^SIG[A-Z]+[0-9]*(?:(?:PLUS|MINUS)[0-9]*)?$/.test(name) ? (name as Signal) : 'RUNTIME_DEFAULT';
}
