/** GET /containerLogs/{namespace}/{pod}/{container}: finds the log file of a container and decodes the query. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseTime } from '../../base/index.ts';
import { allContainers } from '../../component-helpers/index.ts';
import type { ContainerRuntime } from '../../cri/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { uidOf } from '../pod/pod-identity.ts';
import type { PodManager } from '../pod/pod-manager.ts';
import { HttpError } from './http-error.ts';
import { readContainerLog, type LogOptions } from './read-container-log.ts';

interface LogRequest {
  readonly namespace: string;
  readonly podName: string;
  readonly containerName: string;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

interface LogDependencies {
  readonly manager: PodManager;
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
}

/** The pod with that name; of several, the one that is not terminating, or the newest. */
export function findPod(manager: PodManager, namespace: string, name: string): Pod {
  const found = manager.workers.filter(
    ({ pod: { metadata } }) => metadata.namespace === namespace && metadata.name === name,
  );
  const pod = (found.find(({ isTerminating }) => !isTerminating) ?? found.at(-1))?.podWithStatus;
  if (pod === undefined) throw new HttpError(404, `pod ${JSON.stringify(name)} not found`);
  return pod;
}

export async function containerLog(
  { manager, runtime, clock }: LogDependencies,
  request: LogRequest,
): Promise<AsyncIterable<Buffer>> {
  const { namespace, podName, containerName, query, signal } = request;
  const pod = findPod(manager, namespace, podName);
  const { spec } = pod;
  const isKnown = allContainers(spec).some(({ name }) => name === containerName);
  if (!isKnown)
    throw new HttpError(404, `container ${JSON.stringify(containerName)} not found in pod ${JSON.stringify(podName)}`);
  const options = logOptions(query);
  const { file, id } = await logOf(pod, containerName, query.get('previous') === 'true', manager);
  const isRunning = async (): Promise<boolean> => {
    const { status } = await runtime.runtime.containerStatus({ containerId: id }).catch(() => ({ status: undefined }));
    return status?.state === 'CONTAINER_RUNNING' || status?.state === 'CONTAINER_CREATED';
  };
  return readContainerLog({ file, clock, signal, isRunning }, options);
}

async function logOf(
  pod: Pod,
  containerName: string,
  previous: boolean,
  manager: PodManager,
): Promise<{ file: string; id: string }> {
  const worker = manager.worker(uidOf(pod));
  const name = pod.metadata.name ?? '';
  const instances =
    worker?.observed.containers.filter(
      (container) => container.name === containerName && container.state !== 'created',
    ) ?? [];
  const { status } = pod;
  const shown = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ].find((one) => one.name === containerName);
  let chosen = instances[0];
  if (previous) {
    // While a container waits for its restart, its last instance counts as the previous one.
    const lastId = shown?.lastState?.terminated?.containerID;
    chosen =
      instances.find(({ id }) => lastId?.endsWith(`//${id}`)) ?? (shown?.state?.running ? instances[1] : undefined);
    if (chosen === undefined)
      throw new HttpError(
        400,
        `previous terminated container ${JSON.stringify(containerName)} in pod ${JSON.stringify(name)} not found`,
      );
  }
  if (chosen === undefined) {
    const { waiting } = shown?.state ?? {};
    if (waiting?.reason === 'ErrImagePull')
      throw new HttpError(
        400,
        `container ${JSON.stringify(containerName)} in pod ${JSON.stringify(name)} is waiting to start: image can't be pulled`,
      );
    if (waiting?.reason === 'ImagePullBackOff')
      throw new HttpError(
        400,
        `container ${JSON.stringify(containerName)} in pod ${JSON.stringify(name)} is waiting to start: trying and failing to pull image`,
      );
    if (waiting !== undefined || shown === undefined)
      throw new HttpError(
        400,
        `container ${JSON.stringify(containerName)} in pod ${JSON.stringify(name)} is waiting to start: ${waiting?.reason ?? 'ContainerCreating'}`,
      );
    throw new HttpError(400, `container ${JSON.stringify(containerName)} in pod ${JSON.stringify(name)} is terminated`);
  }
  const file = chosen.status.logPath ?? '';
  if (file === '') throw new HttpError(500, `the runtime has no log of container ${JSON.stringify(containerName)}`);
  return Promise.resolve({ file, id: chosen.id });
}

function logOptions(query: URLSearchParams): LogOptions {
  const number = (name: string): number | undefined => {
    const text = query.get(name);
    if (text === null || text === '') return undefined;
    if (!/^-?\d+$/.test(text)) throw new HttpError(400, `Unable to decode query: ${name} must be a number`);
    return Number(text);
  };
  const [tailLines, sinceSeconds, limitBytes] = [number('tailLines'), number('sinceSeconds'), number('limitBytes')];
  const sinceTime = query.get('sinceTime');
  if (sinceTime && !isTime(sinceTime)) throw new HttpError(400, 'Unable to decode query: sinceTime must be a time');
  const stream = query.get('stream');
  const isInvalid =
    (tailLines ?? 0) < 0 ||
    (sinceSeconds ?? 1) < 1 ||
    (limitBytes ?? 1) < 1 ||
    (sinceSeconds !== undefined && sinceTime);
  if (isInvalid) throw new HttpError(422, 'Invalid request.');
  return {
    follow: query.get('follow') === 'true' || query.get('follow') === '1',
    timestamps: query.get('timestamps') === 'true' || query.get('timestamps') === '1',
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceTime ? { sinceTime } : {}),
    ...(stream === 'Stdout' || stream === 'Stderr' ? { stream: stream === 'Stdout' ? 'stdout' : 'stderr' } : {}),
  };
}

function isTime(text: string): boolean {
  try {
    return Number.isFinite(parseTime(text));
  } catch {
    return false;
  }
}
