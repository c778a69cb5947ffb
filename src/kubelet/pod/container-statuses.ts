/** The container statuses of a pod. */
import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  EphemeralContainer,
  Pod,
  ResourceStatus,
  VolumeMountStatus,
} from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import { isRestartableInitContainer } from '../../component-helpers/index.ts';
import type { ObservedContainer, ObservedPod } from '../runtime/observe-pod.ts';
import { actualResources } from './container-resources.ts';
import type { ProbeResult } from './pod-actions.ts';
import { RESTARTING_ALL_CONTAINERS } from './pod-phase.ts';

/** Why a container could not be started. */
export interface StartProblem {
  readonly reason: string;
  readonly message: string;
}

export interface StatusInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly runtimeName: string;
  readonly problems: ReadonlyMap<string, StartProblem>;
  readonly readiness: (containerId: string) => ProbeResult;
  readonly startup: (containerId: string) => ProbeResult;
  /** IDs of containers whose postStart hook is running. */
  readonly starting: ReadonlySet<string>;
  readonly deviceHealth: (container: Container) => readonly ResourceStatus[];
  /** The pod is terminating or terminated: absent containers will not be started. */
  readonly terminating: boolean;
  /** RestartAllContainers has removed all containers. */
  readonly restartingAll?: boolean;
}

interface AllContainerStatuses {
  readonly init: ContainerStatus[];
  readonly regular: ContainerStatus[];
  readonly ephemeral: ContainerStatus[];
}

type AnyContainer = Container | EphemeralContainer;
type Role = 'init' | 'regular' | 'ephemeral';

export function containerStatuses(input: StatusInput): AllContainerStatuses {
  const { spec, status } = input.pod;
  const hasInit = (spec?.initContainers ?? []).length > 0;
  const all = (
    role: Role,
    containers: readonly AnyContainer[] | undefined,
    before: readonly ContainerStatus[] | undefined,
  ): ContainerStatus[] =>
    (containers ?? []).map((container) =>
      statusOf({
        ...input,
        role,
        container,
        waitingFor:
          hasInit && role === 'regular' ? 'PodInitializing' : role === 'init' ? 'PodInitializing' : 'ContainerCreating',
        before: before?.find(({ name }) => name === container.name),
      }),
    );
  return {
    init: all('init', spec?.initContainers, status?.initContainerStatuses),
    regular: all('regular', spec?.containers, status?.containerStatuses).map((shown) => withDeviceHealth(shown, input)),
    ephemeral: all('ephemeral', spec?.ephemeralContainers, status?.ephemeralContainerStatuses),
  };
}

/** The last health of the devices stays after they were freed, because it may be why the container failed. */
function withDeviceHealth(
  shown: ContainerStatus,
  { pod: { spec, status }, deviceHealth }: StatusInput,
): ContainerStatus {
  const health = (spec?.containers ?? []).filter(({ name }) => name === shown.name).flatMap(deviceHealth);
  const last =
    health.length > 0
      ? health
      : status?.containerStatuses?.find(({ name }) => name === shown.name)?.allocatedResourcesStatus;
  return last === undefined || last.length === 0 ? shown : { ...shown, allocatedResourcesStatus: last };
}

interface OneInput extends StatusInput {
  readonly role: Role;
  readonly container: AnyContainer;
  readonly waitingFor: string;
  readonly before: ContainerStatus | undefined;
}

function statusOf(input: OneInput): ContainerStatus {
  const { container, observed, problems } = input;
  const [newest, previous] = observed.containers.filter(({ name }) => name === container.name);
  const problem = problems.get(container.name);
  if (newest === undefined) return absentStatus(input, problem);
  const { state, lastState } = statesOf(input, newest, previous, problem);
  const started = startedOf(input, newest, state);
  const shown: ContainerStatus = {
    name: container.name,
    state,
    lastState,
    ready: readyOf(input, newest, state, started),
    restartCount: Math.max(newest.info.restartCount, input.before?.restartCount ?? 0),
    image: newest.status.image?.image || container.image || '',
    imageID: newest.status.imageRef ?? '',
    containerID: `${input.runtimeName}://${newest.id}`,
    ...(started === undefined ? {} : { started }),
  };
  return { ...shown, ...resourcesOf(container, newest), ...detailsOf(container, newest) };
}

const RESTARTING_ALL = {
  reason: RESTARTING_ALL_CONTAINERS,
  message: 'The container is removed because RestartAllContainers in place',
};

/** The status of a container that the runtime does not have. */
function absentStatus(
  { container, before, waitingFor, role, terminating, restartingAll }: OneInput,
  problem: StartProblem | undefined,
): ContainerStatus {
  const base = {
    name: container.name,
    ready: false,
    restartCount: before?.restartCount ?? 0,
    image: container.image ?? '',
    imageID: '',
  };
  const started = role === 'ephemeral' ? {} : { started: false };
  if (restartingAll === true && before !== undefined && before.state?.waiting === undefined)
    return {
      ...{ ...base, ...started, restartCount: base.restartCount + 1 },
      state: { waiting: RESTARTING_ALL },
      lastState: { terminated: { ...RESTARTING_ALL, exitCode: 137 } },
    };
  if (before?.state?.terminated !== undefined) return before;
  if (before?.state?.running !== undefined) {
    const terminated = {
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was deleted.  The container used to be Running',
    };
    if (terminating)
      return {
        ...base,
        state: {
          terminated: { ...terminated, message: 'The container could not be located when the pod was terminated' },
        },
        lastState: {},
        ...started,
      };
    return {
      ...base,
      state: { waiting: { reason: waitingFor } },
      lastState: { terminated },
      restartCount: base.restartCount + 1,
      ...started,
    };
  }
  if (terminating && before !== undefined) return { ...before, ready: false };
  const waiting = problem === undefined ? { reason: waitingFor } : { reason: problem.reason, message: problem.message };
  return { ...base, state: { waiting }, lastState: before?.lastState ?? {}, ...started };
}

function statesOf(
  input: OneInput,
  newest: ObservedContainer,
  previous: ObservedContainer | undefined,
  problem: StartProblem | undefined,
): { state: ContainerState; lastState: ContainerState } {
  const { runtimeName } = input;
  const earlier =
    previous === undefined
      ? recordedLastState(input, newest)
      : previous.state === 'exited'
        ? { terminated: terminatedState(previous, runtimeName) }
        : {};
  switch (newest.state) {
    case 'running':
      return { state: { running: { startedAt: formatTime(newest.startedAt) } }, lastState: earlier };
    case 'created':
      return { state: { waiting: problem ? { ...problem } : { reason: input.waitingFor } }, lastState: earlier };
    case 'exited': {
      const terminated = terminatedState(newest, runtimeName);
      if (problem !== undefined) return { state: { waiting: { ...problem } }, lastState: { terminated } };
      return { state: { terminated }, lastState: earlier };
    }
    case 'unknown':
      return {
        state: {
          terminated: {
            exitCode: 137,
            reason: 'ContainerStatusUnknown',
            message: 'The container could not be located when the pod was terminated',
          },
        },
        lastState: earlier,
      };
  }
}

/** RestartAllContainers removes the containers before the newest from the runtime: only the last status tells how they ended. */
function recordedLastState({ before, runtimeName }: OneInput, { id }: ObservedContainer): ContainerState {
  const isOther = (terminated: ContainerStateTerminated | undefined): boolean =>
    terminated !== undefined && terminated.containerID !== `${runtimeName}://${id}`;
  return [before?.state, before?.lastState].find((state) => isOther(state?.terminated)) ?? {};
}

function terminatedState(container: ObservedContainer, runtimeName: string): ContainerStateTerminated {
  const { exitCode, reason, message, startedAt, finishedAt, id } = container;
  return {
    exitCode,
    reason: reason === '' ? (exitCode === 0 ? 'Completed' : 'Error') : reason,
    ...(message === '' ? {} : { message }),
    ...(startedAt > 0 ? { startedAt: formatTime(startedAt) } : {}),
    ...(finishedAt > 0 ? { finishedAt: formatTime(finishedAt) } : {}),
    containerID: `${runtimeName}://${id}`,
  };
}

function startedOf(
  { container, role, startup, starting }: OneInput,
  newest: ObservedContainer,
  state: ContainerState,
): boolean | undefined {
  if (role === 'ephemeral') return undefined;
  if (state.running === undefined) return false;
  if (starting.has(newest.id)) return false;
  return container.startupProbe === undefined || startup(newest.id) === 'success';
}

function readyOf(
  { container, role, readiness }: OneInput,
  newest: ObservedContainer,
  state: ContainerState,
  started: boolean | undefined,
): boolean {
  if (role === 'ephemeral') return false;
  if (role === 'init' && !isRestartableInitContainer(container)) return state.terminated?.exitCode === 0;
  if (state.running === undefined || started !== true) return false;
  return container.readinessProbe === undefined || readiness(newest.id) === 'success';
}

function resourcesOf(
  container: AnyContainer,
  newest: ObservedContainer,
): Pick<ContainerStatus, 'allocatedResources' | 'resources'> {
  const requests = container.resources?.requests;
  const resources = actualResources(container, newest);
  return {
    ...(requests !== undefined && Object.keys(requests).length > 0 ? { allocatedResources: requests } : {}),
    resources,
  };
}

function detailsOf(
  container: AnyContainer,
  { status }: ObservedContainer,
): Pick<ContainerStatus, 'volumeMounts' | 'user' | 'stopSignal'> {
  const linux = status.user?.linux;
  const mounts = (container.volumeMounts ?? []).map(
    ({ name, mountPath, readOnly, recursiveReadOnly }): VolumeMountStatus => {
      if (readOnly !== true) return { name, mountPath };
      const wanted =
        recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible'
          ? status.mounts?.find((mount) => mount.containerPath === mountPath)?.recursiveReadOnly
          : false;
      return { name, mountPath, readOnly, recursiveReadOnly: wanted ? 'Enabled' : 'Disabled' };
    },
  );
  return {
    ...(mounts.length > 0 ? { volumeMounts: mounts } : {}),
    ...(linux === undefined
      ? {}
      : {
          user: {
            linux: {
              uid: linux.uid ?? 0,
              gid: linux.gid ?? 0,
              supplementalGroups: [...(linux.supplementalGroups ?? [])],
            },
          },
        }),
    ...(container.lifecycle?.stopSignal === undefined ? {} : { stopSignal: container.lifecycle.stopSignal }),
  };
}
