/**
 * A pod worker: observes the runtime, decides (`sync-pod.ts`), performs actions, and repeats until there is nothing to
 * do. Then terminates the pod when it must.
 */
import type { Pod, PodCondition, PodStatus } from '../../api/generated/core-v1.ts';
import { errorMessage, parseTime } from '../../base/index.ts';
import { isPodTerminal, isTerminalPhase } from '../../component-helpers/index.ts';
import { isAbort, type Timer, WakeUp } from '../../kernel/index.ts';
import type { PodRejection } from '../admission/admit-pod.ts';
import type { AllocatedResources } from '../admission/allocation-checkpoint.ts';
import { terminationMessage } from '../lifecycle/termination-message.ts';
import { emptyObservation, type ObservedContainer, type ObservedPod } from '../runtime/observe-pod.ts';
import type { StartProblem } from './container-statuses.ts';
import { killPod } from './kill-pod.ts';
import { pendingResize } from './pending-resize.ts';
import { performActions, removeFromRuntime } from './perform-actions.ts';
import { KUBELET_CONDITIONS, type ResizeCondition } from './pod-conditions.ts';
import type { PodDependencies } from './pod-dependencies.ts';
import { podKey, uidOf } from './pod-identity.ts';
import { resourceSettings } from './pod-settings.ts';
import { podStatus } from './pod-status.ts';
import { resizeMessage } from './resize-message.ts';
import { isNothingToDo, syncPod } from './sync-pod.ts';

/** Why the kubelet fails a pod. */
interface PodFailure {
  readonly phase: 'Failed';
  readonly reason: string;
  readonly message: string;
  readonly conditions?: readonly PodCondition[];
  /** Rejected at admission: the status has no container statuses. */
  readonly rejected?: boolean;
}

export interface Termination {
  readonly graceSeconds?: number;
  readonly failure?: PodFailure;
  /** The API object is already gone, so there is nothing to delete. */
  readonly removedFromApi?: boolean;
}

type Stage = 'syncing' | 'terminating' | 'terminated' | 'finished';

const DEADLINE_MESSAGE = 'Pod was active on the node longer than the specified deadline';
const RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

interface WorkerOptions {
  /** The pod with its allocated resources, and the conditions of a pending resize. */
  readonly allocated: (pod: Pod) => {
    readonly pod: Pod;
    readonly actuated: AllocatedResources | undefined;
    readonly resizeConditions: readonly ResizeCondition[];
  };
  readonly onFinished: (uid: string) => void;
  readonly onTerminated: (uid: string) => void;
}

interface PublishDetails {
  readonly restartingAll?: boolean;
  readonly resizeConditions?: readonly ResizeCondition[];
  readonly terminating?: boolean;
  readonly stopped?: boolean;
}

export class PodWorker {
  readonly uid: string;
  readonly #deps: PodDependencies;
  readonly #options: WorkerOptions;
  readonly #problems = new Map<string, StartProblem>();
  readonly #messages = new Map<string, string>();
  readonly #runningPostStartHooks = new Set<string>();
  #pod: Pod;
  #status: PodStatus | undefined;
  #stage: Stage = 'syncing';
  #termination: Termination | undefined;
  #current = new AbortController();
  readonly #wakeUp = new WakeUp();
  #isWoken = true;
  #retryTimer: Timer | undefined;
  #failures = 0;
  #deleted = false;
  #admitted = false;
  /** Set while the worker waits for containers to stop: their readiness may change meanwhile. */
  #publishReadiness: (() => void) | undefined;
  #observed: ObservedPod;
  /** The resize that goes on, with the generation of the pod that asked for it, and why it fails. */
  #resize: { readonly generation: number; readonly error: string | undefined } | undefined;

  constructor(deps: PodDependencies, pod: Pod, options: WorkerOptions) {
    this.#deps = deps;
    this.#pod = pod;
    this.uid = uidOf(pod);
    this.#options = options;
    this.#observed = emptyObservation(this.#identity());
  }

  get pod(): Pod {
    return this.#pod;
  }

  /** The pod with the newest status. */
  get podWithStatus(): Pod {
    return { ...this.#pod, status: this.#status ?? this.#pod.status };
  }

  get observed(): ObservedPod {
    return this.#observed;
  }

  get isTerminating(): boolean {
    return this.#termination !== undefined;
  }

  /** Whether the API object is gone, such as after a forced deletion. */
  get isRemovedFromApi(): boolean {
    return this.#termination?.removedFromApi === true;
  }

  /** All containers have stopped and will not be restarted. */
  get isTerminated(): boolean {
    return this.#stage === 'terminated' || this.#stage === 'finished';
  }

  update(pod: Pod): void {
    const graceBefore = this.#pod.metadata.deletionGracePeriodSeconds;
    this.#pod = pod;
    this.#deps.volumes.update(pod);
    const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    if (deletionTimestamp !== undefined) {
      const isShorter = graceBefore !== undefined && (deletionGracePeriodSeconds ?? 0) < graceBefore;
      if (this.#termination === undefined || isShorter) this.terminate({});
    }
    this.wake();
  }

  /** Terminates the pod. A later call can shorten the grace period. */
  terminate(termination: Termination): void {
    const before = this.#termination;
    const grace = [before?.graceSeconds, termination.graceSeconds].filter((seconds) => seconds !== undefined);
    this.#termination = {
      ...before,
      ...termination,
      ...(grace.length > 0 ? { graceSeconds: Math.min(...grace) } : {}),
      ...(before?.failure === undefined ? {} : { failure: before.failure }),
    };
    // Interrupts what the worker is waiting for.
    this.#current.abort(new Error('the pod is being terminated'));
    this.wake();
  }

  wake(): void {
    this.#isWoken = true;
    this.#publishReadiness?.();
    this.#wakeUp.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { logger } = this.#deps.ctx;
    try {
      while (!signal.aborted && this.#stage !== 'finished') {
        await this.#waitForWake(signal);
        if (signal.aborted) return;
        this.#current = new AbortController();
        const both = AbortSignal.any([signal, this.#current.signal]);
        try {
          if (this.#termination !== undefined || this.#stage !== 'syncing') await this.#terminate(both, signal);
          else await this.#sync(both);
          this.#failures = 0;
        } catch (error) {
          if (signal.aborted) return;
          if (this.#current.signal.aborted && (isAbort(error, both) || error === this.#current.signal.reason)) {
            this.wake();
            continue;
          }
          if (this.#current.signal.aborted) {
            this.wake();
            continue;
          }
          logger.error(error, 'Error syncing pod, skipping', { pod: podKey(this.#pod), podUID: this.uid });
          this.#deps.events.pod(this.#pod, 'Warning', 'FailedSync', `error determining status: ${errorMessage(error)}`);
          this.#wakeIn(Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** this.#failures++));
        }
      }
    } finally {
      this.#retryTimer?.cancel();
    }
  }

  async #sync(signal: AbortSignal): Promise<void> {
    let killed = false;
    let restartingAll = false;
    for (;;) {
      const observed = await this.#observe(signal);
      const { pod, actuated, resizeConditions } = this.#options.allocated(this.#withStatus());
      if (isPodTerminal(pod)) return this.#startTermination();
      if (this.#isOverdue(pod))
        return this.#startTermination({ phase: 'Failed', reason: 'DeadlineExceeded', message: DEADLINE_MESSAGE });
      if (!(await this.#admit(pod, observed))) return;
      this.#deps.probes.update(pod, observed);
      if (observed.containers.some(({ state }) => state === 'running')) this.#deps.volumes.reclaim(pod);
      const resize = pendingResize({ pod, observed, actuated }, resourceSettings(this.#deps.config));
      this.#followResize(pod, resize.containers.size > 0 || resize.pod);
      const conditions = (): ResizeCondition[] => [...resizeConditions, ...this.#resizeInProgress()];
      const actions = syncPod({
        pod,
        observed,
        probes: this.#probeResults(),
        resize,
      });
      for (const name of this.#problems.keys())
        if (observed.containers.some((container) => container.name === name && container.state === 'running'))
          this.#problems.delete(name);
      const nothingToDo = isNothingToDo(actions);
      // Between the end of a container and its restart nothing is reported, so a container that is replaced stays ready.
      const status =
        killed && !nothingToDo ? undefined : this.#publish(observed, { resizeConditions: conditions(), restartingAll });
      if (nothingToDo) {
        if (isTerminalPhase(status?.phase)) this.#startTermination();
        return;
      }
      const { changed, retryInMs, rejection } = await performActions(this.#deps, {
        pod,
        observed,
        actions,
        signal,
        wake: () => this.wake(),
        problems: this.#problems,
        hookRunning: (id, running) => {
          if (running) this.#runningPostStartHooks.add(id);
          else this.#runningPostStartHooks.delete(id);
        },
        resizeFailed: (message) => this.#resizeFailed(pod, message),
      });
      if (rejection !== undefined) {
        this.#reject(pod, rejection);
        return;
      }
      if (retryInMs !== undefined) this.#wakeIn(retryInMs);
      restartingAll = changed && actions.restartAll;
      killed = changed && actions.containersToKill.length > 0 && !restartingAll;
      if (!changed) {
        this.#publish(observed, { resizeConditions: conditions() });
        return;
      }
    }
  }

  /** The node has granted a resize. */
  resizeAllocated(): void {
    this.#resize = { generation: this.#pod.metadata.generation ?? 0, error: undefined };
    this.wake();
  }

  #followResize(pod: Pod, isInProgress: boolean): void {
    if (isInProgress) this.#resize ??= { generation: pod.metadata.generation ?? 0, error: undefined };
    else if (this.#resize !== undefined) {
      const { generation } = this.#resize;
      this.#resize = undefined;
      this.#deps.events.pod(pod, 'Normal', 'ResizeCompleted', resizeMessage('completed', pod, { generation }));
    }
  }

  #resizeFailed(pod: Pod, error: string): void {
    const { generation = pod.metadata.generation ?? 0, error: before } = this.#resize ?? {};
    this.#resize = { generation, error };
    if (error === before) return;
    this.#deps.events.pod(pod, 'Warning', 'ResizeError', resizeMessage('error', pod, { generation, error }));
  }

  #resizeInProgress(): ResizeCondition[] {
    if (this.#resize === undefined) return [];
    const { generation, error } = this.#resize;
    const condition = { type: 'PodResizeInProgress', status: 'True', observedGeneration: generation };
    return [error === undefined ? condition : { ...condition, reason: 'Error', message: error }];
  }

  /** Allocates devices, CPUs and memory once. A pod that is running already is not rejected. */
  async #admit(pod: Pod, observed: ObservedPod): Promise<boolean> {
    if (this.#admitted) return true;
    const rejection = await this.#deps.containerManager.admit(pod);
    this.#admitted = true;
    if (rejection === undefined || observed.containers.some(({ state }) => state === 'running')) return true;
    this.#reject(pod, rejection);
    return false;
  }

  #reject(pod: Pod, { reason, message }: PodRejection): void {
    this.#deps.events.pod(pod, 'Warning', reason, message);
    this.#startTermination({ phase: 'Failed', reason, message: `Pod was rejected: ${message}` });
  }

  #startTermination(failure?: PodFailure): void {
    this.terminate(failure === undefined ? {} : { failure });
  }

  async #terminate(signal: AbortSignal, lifetime: AbortSignal): Promise<void> {
    const { probes, volumes, cgroups, statuses, containerManager, images } = this.#deps;
    if (this.#stage === 'syncing' || this.#stage === 'terminating') {
      this.#stage = 'terminating';
      const observed = await this.#observe(signal);
      this.#publish(observed, { terminating: true });
      this.#publishReadiness = () => void this.#publish(observed, { terminating: true });
      try {
        await killPod(this.#deps, this.#withStatus(), observed, { ...this.#grace(), signal });
      } finally {
        this.#publishReadiness = undefined;
      }
      probes.remove(this.uid);
      this.#publish(await this.#observe(signal), { terminating: true, stopped: true });
      await volumes.tearDown(this.#pod);
      await cgroups.removePod(this.uid);
      await containerManager.release(this.#pod);
      this.#stage = 'terminated';
      this.#options.onTerminated(this.uid);
    }
    const isDeleted = this.#pod.metadata.deletionTimestamp !== undefined || this.#termination?.removedFromApi === true;
    if (!isDeleted || this.#deleted) return;
    this.#deleted = true;
    if (this.#termination?.removedFromApi !== true) await statuses.deletePod(this.#pod);
    const observed = await this.#deps.observer.observe(this.#identity(), lifetime);
    await removeFromRuntime(this.#deps, this.#pod, observed);
    images.forget(this.uid);
    statuses.forget(this.uid);
    this.#stage = 'finished';
    this.#options.onFinished(this.uid);
  }

  #grace(): { graceSeconds?: number } {
    const { graceSeconds, removedFromApi } = this.#termination ?? {};
    if (graceSeconds !== undefined) return { graceSeconds };
    if (this.#pod.metadata.deletionGracePeriodSeconds === 0) return { graceSeconds: 1 };
    // For an orphaned pod of the runtime, the containers' annotations have the grace period.
    return removedFromApi === true && (this.#pod.spec?.containers.length ?? 0) > 0 ? { graceSeconds: 1 } : {};
  }

  async #observe(signal: AbortSignal): Promise<ObservedPod> {
    const observed = await this.#deps.observer.observe(this.#identity(), signal);
    this.#observed = {
      ...observed,
      containers: await Promise.all(observed.containers.map((container) => this.#withMessage(container))),
    };
    return this.#observed;
  }

  async #withMessage(container: ObservedContainer): Promise<ObservedContainer> {
    if (container.state !== 'exited') return container;
    let message = this.#messages.get(container.id);
    if (message === undefined) {
      message = await terminationMessage(container);
      this.#messages.set(container.id, message);
    }
    return message === '' ? container : { ...container, message };
  }

  #publish(observed: ObservedPod, details: PublishDetails): PodStatus {
    const { ctx, probes, statuses, runtimeFacts, node, containerManager } = this.#deps;
    const { terminating = false, stopped = false, restartingAll = false, resizeConditions } = details;
    const failure = this.#termination?.failure;
    const { pod, actuated } = this.#options.allocated(this.#withStatus());
    const whole = podStatus({
      ...{ pod, observed, actuated },
      runtimeName: runtimeFacts().name,
      problems: terminating ? new Map() : this.#problems,
      readiness: (id) => probes.result('readiness', id),
      startup: (id) => probes.result('startup', id),
      starting: this.#runningPostStartHooks,
      deviceHealth: (container) => containerManager.allocatedResourcesStatus(this.#pod, container),
      ...{ terminating, restartingAll },
      stopped: stopped || !observed.containers.some(({ state }) => state === 'running'),
      now: ctx.clock.now(),
      hostIPs: node().hostIPs,
      ...(failure === undefined ? {} : { failure }),
      ...(resizeConditions === undefined ? {} : { resizeConditions }),
    });
    const status = failure?.rejected === true ? rejectedStatus(whole) : whole;
    this.#status = status;
    if (this.#termination?.removedFromApi !== true) statuses.set(this.#pod, status);
    return status;
  }

  /** The pod with our newest status and the newest conditions of others. */
  #withStatus(): Pod {
    if (this.#status === undefined) return this.#pod;
    const own = new Map((this.#status.conditions ?? []).map((condition) => [condition.type, condition]));
    const others = (this.#pod.status?.conditions ?? []).filter(
      ({ type }) => !own.has(type) || !isKubeletCondition(type),
    );
    const kept = (this.#status.conditions ?? []).filter(
      ({ type }) => isKubeletCondition(type) || !others.some((condition) => condition.type === type),
    );
    return { ...this.#pod, status: { ...this.#status, conditions: [...kept, ...others] } };
  }

  #probeResults() {
    const { probes } = this.#deps;
    return {
      liveness: (id: string) => probes.result('liveness', id),
      startup: (id: string) => probes.result('startup', id),
    };
  }

  #isOverdue({ spec, status }: Pod): boolean {
    const { activeDeadlineSeconds } = spec ?? {};
    if (activeDeadlineSeconds === undefined || status?.startTime === undefined) return false;
    const left = parseTime(status.startTime) + activeDeadlineSeconds * 1000 - this.#deps.ctx.clock.now();
    if (left > 0) this.#wakeIn(left);
    return left <= 0;
  }

  #identity(): { uid: string; name: string; namespace: string } {
    const { name = '', namespace = '' } = this.#pod.metadata;
    return { uid: uidOf(this.#pod), name, namespace };
  }

  #retryAt = Infinity;

  #wakeIn(ms: number): void {
    const { clock } = this.#deps.ctx;
    const at = clock.monotonic() + ms;
    if (at >= this.#retryAt) return;
    this.#retryTimer?.cancel();
    this.#retryAt = at;
    this.#retryTimer = clock.after(ms, () => {
      this.#retryAt = Infinity;
      this.wake();
    });
  }

  async #waitForWake(signal: AbortSignal): Promise<void> {
    if (!this.#isWoken) await this.#wakeUp.wait(signal);
    this.#isWoken = false;
  }
}

function rejectedStatus({ phase, reason, message, startTime, qosClass, observedGeneration }: PodStatus): PodStatus {
  return { phase, reason, message, startTime, qosClass, observedGeneration };
}

const OWN_CONDITIONS = new Set<string>(KUBELET_CONDITIONS);
const isKubeletCondition = (type: string): boolean => OWN_CONDITIONS.has(type);
