/** Stops containers and pods: preStop hook, SIGTERM and the grace period, sidecars last. */
import type { Container, EphemeralContainer, LifecycleHandler, Pod } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { allContainers, isRestartableInitContainer } from '../../component-helpers/index.ts';
import { untilAborted, withDeadline } from '../../kernel/index.ts';
import { runHandler } from '../lifecycle/run-handler.ts';
import { isContainerNotFound, type ObservedContainer, type ObservedPod } from '../runtime/observe-pod.ts';
import type { KillReason } from './pod-actions.ts';
import type { PodDependencies } from './pod-dependencies.ts';

/** A container gets at least this long after SIGTERM, even if its preStop hook took the whole grace period. */
const MIN_GRACE_SECONDS = 2;
const DEFAULT_GRACE_SECONDS = 30;

interface ContainerKillOptions {
  readonly reason: KillReason;
  readonly message?: string;
  /** Overrides the grace period of the pod. */
  readonly graceSeconds?: number;
  readonly signal: AbortSignal;
}

export async function killContainer(
  deps: PodDependencies,
  pod: Pod,
  observed: ObservedContainer,
  options: ContainerKillOptions,
): Promise<void> {
  const { ctx, runtime, events } = deps;
  const container = findContainer(pod, observed.name);
  let grace = options.graceSeconds ?? graceOf(pod, container, observed, options.reason);
  if (observed.state === 'running')
    events.container(pod, observed.name, 'Normal', 'Killing', options.message ?? `Stopping container ${observed.name}`);
  const preStop = container?.lifecycle?.preStop ?? observed.info.preStop;
  if (preStop !== undefined && grace > 0 && observed.state === 'running') {
    const took = await runPreStop(deps, pod, observed, {
      handler: preStop,
      container,
      graceSeconds: grace,
      signal: options.signal,
    });
    grace = Math.max(MIN_GRACE_SECONDS, grace - took);
  }
  if (grace < MIN_GRACE_SECONDS && options.graceSeconds === undefined) grace = MIN_GRACE_SECONDS;
  await runtime.runtime
    .stopContainer({ containerId: observed.id, timeout: Math.ceil(grace) }, { signal: options.signal })
    .catch((error: unknown) => {
      if (!isContainerNotFound(error)) throw error;
    });
  ctx.logger.v(3).info('Container stopped', { pod: pod.metadata.name, container: observed.name });
}

function graceOf(
  pod: Pod,
  container: Container | EphemeralContainer | undefined,
  observed: ObservedContainer,
  reason: KillReason,
): number {
  if (pod.metadata.deletionGracePeriodSeconds !== undefined) return pod.metadata.deletionGracePeriodSeconds;
  const ofProbe =
    reason === 'LivenessProbe'
      ? container?.livenessProbe?.terminationGracePeriodSeconds
      : reason === 'StartupProbe'
        ? container?.startupProbe?.terminationGracePeriodSeconds
        : undefined;
  return (
    ofProbe ??
    pod.spec?.terminationGracePeriodSeconds ??
    observed.info.terminationGracePeriodSeconds ??
    DEFAULT_GRACE_SECONDS
  );
}

interface PreStop {
  readonly handler: LifecycleHandler;
  readonly container: Container | EphemeralContainer | undefined;
  readonly graceSeconds: number;
  readonly signal: AbortSignal;
}

/** Returns the seconds that the hook took. */
async function runPreStop(
  deps: PodDependencies,
  pod: Pod,
  observed: ObservedContainer,
  { handler, container, graceSeconds, signal }: PreStop,
): Promise<number> {
  const { ctx, runtime, events, dial } = deps;
  const startedAt = ctx.clock.monotonic();
  const podIp = pod.status?.podIP ?? '';
  await withDeadline({ clock: ctx.clock, ms: graceSeconds * 1000, parent: signal }, async (deadline) => {
    const hook = runHandler({
      handler,
      container: container ?? { name: observed.name },
      containerId: observed.id,
      podIp,
      runtime,
      dial,
      clock: ctx.clock,
      signal: deadline,
    });
    try {
      await Promise.race([hook, untilAborted(deadline)]);
    } catch (error) {
      if (!deadline.aborted) {
        ctx.logger
          .v(2)
          .info('PreStop hook failed', { pod: pod.metadata.name, container: observed.name, err: errorMessage(error) });
        events.container(pod, observed.name, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
      }
    }
    hook.catch(() => {});
  });
  return (ctx.clock.monotonic() - startedAt) / 1000;
}

function findContainer({ spec }: Pod, name: string): Container | EphemeralContainer | undefined {
  return allContainers(spec).find((container) => container.name === name);
}

interface PodKillOptions {
  readonly graceSeconds?: number;
  readonly signal: AbortSignal;
}

/**
 * Stops regular containers in parallel, then sidecars in reverse order, then the sandboxes, within one grace period.
 */
export async function killPod(
  deps: PodDependencies,
  pod: Pod,
  observed: ObservedPod,
  options: PodKillOptions,
): Promise<void> {
  const { ctx, runtime } = deps;
  const alive = observed.containers.filter(({ state }) => state !== 'exited');
  const sidecarNames = (pod.spec?.initContainers ?? []).filter(isRestartableInitContainer).map(({ name }) => name);
  const sidecars = alive
    .filter(({ name }) => sidecarNames.includes(name))
    .toSorted((a, b) => sidecarNames.indexOf(b.name) - sidecarNames.indexOf(a.name));
  const others = alive.filter(({ name }) => !sidecarNames.includes(name));
  const startedAt = ctx.clock.monotonic();
  const total =
    options.graceSeconds ??
    pod.metadata.deletionGracePeriodSeconds ??
    pod.spec?.terminationGracePeriodSeconds ??
    DEFAULT_GRACE_SECONDS;
  await Promise.all(
    others.map((container) => killContainer(deps, pod, container, { reason: 'PodKilled', ...options })),
  );
  for (const container of sidecars) {
    const left = Math.max(0, total - (ctx.clock.monotonic() - startedAt) / 1000);
    await killContainer(deps, pod, container, {
      reason: 'PodKilled',
      graceSeconds: Math.max(MIN_GRACE_SECONDS, left),
      signal: options.signal,
    });
  }
  for (const { id } of observed.sandboxes) {
    await runtime.runtime.stopPodSandbox({ podSandboxId: id }, { signal: options.signal }).catch((error: unknown) => {
      if (!isContainerNotFound(error)) throw error;
    });
  }
}
