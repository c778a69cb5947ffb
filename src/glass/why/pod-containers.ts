/** What the containers of a pod wait for, or why they end. */
import type { Container, ContainerStatus, Pod, Probe } from '../../api/generated/core-v1.ts';
import { isRestartableInitContainer } from '../../component-helpers/index.ts';
import type { Cause } from '../answers.ts';
import type { Reader } from './reader.ts';

const SIGNAL_BASE = 128;
const SIGNALS: ReadonlyMap<number, string> = new Map([
  [1, 'SIGHUP'],
  [2, 'SIGINT'],
  [6, 'SIGABRT'],
  [9, 'SIGKILL'],
  [11, 'SIGSEGV'],
  [15, 'SIGTERM'],
]);

export async function containerCauses(reader: Reader, pod: Pod): Promise<Cause[]> {
  const { spec, status } = pod;
  const init = (spec?.initContainers ?? []).flatMap((container) => {
    const found = status?.initContainerStatuses?.find(({ name }) => name === container.name);
    const done = isRestartableInitContainer(container) ? found?.started : found?.state?.terminated?.exitCode === 0;
    return done ? [] : [{ container, found, init: true }];
  });
  // Init containers run one after another: the first that has not finished holds up the rest.
  const waiting = init.length > 0 ? init.slice(0, 1) : regular(pod);
  const causes: Cause[] = [];
  for (const { container, found, init } of waiting) {
    const cause = await containerCause(reader, pod, { container, status: found, init });
    if (cause) causes.push(cause);
  }
  return causes;
}

interface Looked {
  readonly container: Container;
  readonly found: ContainerStatus | undefined;
  readonly init: boolean;
}

const regular = ({ spec, status }: Pod): Looked[] =>
  (spec?.containers ?? []).flatMap((container) => {
    const found = status?.containerStatuses?.find(({ name }) => name === container.name);
    return found?.ready ? [] : [{ container, found, init: false }];
  });

interface Waiting {
  readonly container: Container;
  readonly status: ContainerStatus | undefined;
  readonly init: boolean;
}

async function containerCause(
  reader: Reader,
  pod: Pod,
  { container, status, init }: Waiting,
): Promise<Cause | undefined> {
  const who = `${init ? 'init container' : 'container'} ${container.name}`;
  const { waiting, terminated, running } = status?.state ?? {};
  const ended = terminated ?? status?.lastState?.terminated;
  if (waiting?.reason === 'CrashLoopBackOff' || (ended && ended.exitCode !== 0)) return crashed(pod, who, status!);
  if (waiting && IMAGE_REASONS.has(waiting.reason ?? ''))
    return {
      reason: waiting.reason!,
      message: `${who}: the image ${container.image} cannot be pulled${waiting.message ? `: ${waiting.message}` : ''}`,
      remedy:
        waiting.reason === 'ErrImageNeverPull'
          ? `load the image on node ${pod.spec?.nodeName}, or set imagePullPolicy IfNotPresent so that it is pulled`
          : 'see that the image exists under this name, and that the node may pull it (imagePullSecrets)',
    };
  if (waiting?.reason && !STARTING.has(waiting.reason))
    return {
      reason: waiting.reason,
      message: `${who}: ${waiting.message ?? 'cannot start'}`,
      ...(await missing(reader, pod, container)),
    };
  if (running && !init) return notReady(reader, pod, container, status!);
  if (terminated) return undefined;
  const warning = await reader.warning(pod);
  return {
    reason: waiting?.reason ?? (running ? 'PodInitializing' : 'ContainerCreating'),
    message: running ? `${who} has not finished` : `${who} has not started`,
    ...(warning ? { evidence: [warning] } : {}),
  };
}

const IMAGE_REASONS = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
]);
/** The kubelet is at it. */
const STARTING = new Set(['ContainerCreating', 'PodInitializing']);

function crashed(
  { metadata }: Pod,
  who: string,
  { name, state, lastState, restartCount, image }: ContainerStatus,
): Cause {
  const { waiting } = state ?? {};
  const ended = state?.terminated ?? lastState?.terminated;
  const reason = ended?.reason === 'OOMKilled' ? 'OOMKilled' : (waiting?.reason ?? ended?.reason ?? 'Error');
  const times = restartCount > 0 ? ` and was restarted ${restartCount === 1 ? 'once' : `${restartCount} times`}` : '';
  return {
    reason,
    message: `${who} ended with ${exitText(ended?.exitCode ?? 0)}${ended?.reason ? ` (${ended.reason})` : ''}${times}`,
    evidence: [
      ...(ended?.message ? [`its last words: ${ended.message.trim()}`] : []),
      ...(ended?.finishedAt ? [`it ended at ${ended.finishedAt}, image ${image}`] : []),
      ...(waiting?.message ? [waiting.message] : []),
    ],
    remedy:
      ended?.reason === 'OOMKilled'
        ? `give container ${name} a higher memory limit, or make it need less`
        : `kubectl logs -n ${metadata.namespace} ${metadata.name} -c ${name}${waiting ? ' --previous' : ''}`,
  };
}

function exitText(code: number): string {
  const signal = SIGNALS.get(code - SIGNAL_BASE);
  return signal ? `exit code ${code}, which is ${signal}` : `exit code ${code}`;
}

async function notReady(reader: Reader, pod: Pod, container: Container, { started }: ContainerStatus): Promise<Cause> {
  const probe = started === false && container.startupProbe ? 'startup' : 'readiness';
  const events = (await reader.events(pod)).filter(({ reason, message = '', involvedObject }) => {
    const ofContainer = involvedObject?.fieldPath?.includes(`{${container.name}}`) ?? true;
    return reason === 'Unhealthy' && ofContainer && message.toLowerCase().startsWith(probe);
  });
  return {
    reason: 'Unhealthy',
    message: container[`${probe}Probe`]
      ? `container ${container.name} runs, and its ${probe} probe does not succeed`
      : `container ${container.name} runs and is not ready`,
    evidence: [...(events[0]?.message ? [events[0].message] : []), ...probeLines(container[`${probe}Probe`])],
    ...(container[`${probe}Probe`]
      ? {
          remedy: `see why it fails (kubectl logs -n ${pod.metadata.namespace} ${pod.metadata.name} -c ${container.name}), or mend the probe`,
        }
      : {}),
  };
}

/** What the probe asks for. */
function probeLines(probe: Probe | undefined): string[] {
  const { httpGet, tcpSocket, exec, grpc, periodSeconds = 10 } = probe ?? {};
  const what = httpGet
    ? `GET ${httpGet.path ?? '/'} on port ${httpGet.port}`
    : tcpSocket
      ? `connects to port ${tcpSocket.port}`
      : exec
        ? `runs ${(exec.command ?? []).join(' ')}`
        : grpc
          ? `gRPC on port ${grpc.port}`
          : undefined;
  return what === undefined ? [] : [`the probe: ${what}, every ${periodSeconds} s`];
}

/** ConfigMaps and Secrets that the container's environment refers to and that do not exist. */
async function missing(
  reader: Reader,
  { metadata }: Pod,
  { env = [], envFrom = [] }: Container,
): Promise<{ remedy?: string }> {
  const references = [
    ...env.flatMap(({ valueFrom }) => [
      { resource: 'v1/configmaps' as const, source: valueFrom?.configMapKeyRef },
      { resource: 'v1/secrets' as const, source: valueFrom?.secretKeyRef },
    ]),
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      { resource: 'v1/configmaps' as const, source: configMapRef },
      { resource: 'v1/secrets' as const, source: secretRef },
    ]),
  ];
  for (const { resource, source } of references) {
    if (!source?.name || source.optional) continue;
    const { object, known } = await reader.get(resource, { namespace: metadata.namespace ?? '', name: source.name });
    const kind = resource === 'v1/secrets' ? 'Secret' : 'ConfigMap';
    if (known && !object) return { remedy: `create the ${kind} ${source.name} in namespace ${metadata.namespace}` };
  }
  return {};
}
