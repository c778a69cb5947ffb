/**
 * All pods of this node: receives them from the API server and from files, admits or rejects them, and runs a worker
 * for each.
 */
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { formatTime, parseTime } from '../../base/index.ts';
import type { SharedInformer } from '../../client/index.ts';
import { isPodTerminal, podQos } from '../../component-helpers/index.ts';
import { RunGroup, type Context } from '../../kernel/index.ts';
import { admitPod, type PodRejection } from '../admission/admit-pod.ts';
import type { AllocationManager } from '../admission/allocation-manager.ts';
import { podsToPreempt } from '../admission/preemption.ts';
import type { RuntimePodSummary } from '../runtime/observe-pod.ts';
import type { MirrorPods } from './mirror-pods.ts';
import type { PodDependencies } from './pod-dependencies.ts';
import { podKey, uidOf } from './pod-identity.ts';
import { isCriticalPod, isMirrorPod, isStaticPod } from './pod-resources.ts';
import { PodWorker, type Termination } from './pod-worker.ts';
import { resizeMessage } from './resize-message.ts';

interface PodManagerOptions {
  readonly deps: PodDependencies;
  readonly informer: SharedInformer<Pod>;
  readonly allocations: AllocationManager;
  readonly mirrors: MirrorPods;
  readonly node: () => Node;
  readonly allocatable: () => Readonly<Record<string, string>>;
  readonly pressures: () => ReadonlySet<string>;
  readonly shuttingDown: () => boolean;
  readonly onPodsChanged: () => void;
}

export class PodManager {
  readonly #ctx: Context;
  readonly #options: PodManagerOptions;
  readonly #workers = new Map<string, PodWorker>();
  readonly #group: RunGroup;
  #ready = false;

  constructor(ctx: Context, options: PodManagerOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#group = new RunGroup({ signal: ctx.signal, logger: ctx.logger });
  }

  /**
   * Handles the existing pods in order of creation, so that they are admitted in the same order as before a restart.
   */
  start(): void {
    const { informer } = this.#options;
    const initial = informer.list().toSorted((a, b) => createdAt(a) - createdAt(b));
    for (const pod of initial) this.#podUpdated(pod);
    this.#ready = true;
    informer.addHandler({
      onAdd: (pod) => this.#podUpdated(pod),
      onUpdate: (_, pod) => this.#podUpdated(pod),
      onDelete: (pod) => this.#podDeleted(pod),
    });
  }

  /** Sets all static pods; terminates those that are gone. */
  setStaticPods(pods: readonly Pod[]): void {
    const wanted = new Set(pods.map(uidOf));
    for (const worker of this.#workers.values()) {
      if (isStaticPod(worker.pod) && !wanted.has(worker.uid))
        worker.terminate({ removedFromApi: true, graceSeconds: worker.pod.spec?.terminationGracePeriodSeconds ?? 30 });
    }
    for (const pod of pods) this.#podUpdated(pod);
  }

  wake(uid: string): void {
    this.#workers.get(uid)?.wake();
  }

  worker(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  /** Running containers with a log file. */
  *runningContainers(): Iterable<{ readonly id: string; readonly logPath: string }> {
    for (const { observed } of this.#workers.values()) {
      for (const { id, state, status } of observed.containers)
        if (state === 'running' && status.logPath !== undefined && status.logPath !== '')
          yield { id, logPath: status.logPath };
    }
  }

  get workers(): PodWorker[] {
    return [...this.#workers.values()];
  }

  /** All pods with their newest status, including terminated ones. */
  pods(): Pod[] {
    return this.workers.map((worker) => worker.podWithStatus);
  }

  /** Pods that use resources of the node, with their allocated resources. */
  activePods(): Pod[] {
    const { allocations } = this.#options;
    return this.workers
      .filter((worker) => !worker.isTerminated && !isPodTerminal(worker.podWithStatus))
      .map((worker) => allocations.withAllocatedResources(worker.podWithStatus));
  }

  terminate(uid: string, termination: Termination): void {
    this.#workers.get(uid)?.terminate(termination);
  }

  /** Terminates pods of the runtime that neither the API server nor a file has. */
  killOrphanedRuntimePods(pods: ReadonlyMap<string, RuntimePodSummary>): void {
    if (!this.#ready) return;
    for (const { uid, name, namespace } of pods.values()) {
      if (this.#workers.has(uid)) continue;
      const orphan: Pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { uid, name, namespace },
        spec: { containers: [] },
      };
      this.#ctx.logger.v(2).info('Killing orphaned pod of the runtime', { pod: podKey(orphan), podUID: uid });
      this.#startWorker(orphan).terminate({ removedFromApi: true });
    }
  }

  /** The pods whose workers have not ended. */
  get running(): string[] {
    return this.#group.running;
  }

  /** Resolves when all workers have ended. */
  async wait(): Promise<void> {
    await this.#group.wait();
  }

  #podUpdated(pod: Pod): void {
    const { mirrors } = this.#options;
    if (isMirrorPod(pod)) {
      mirrors.mirrorUpdated(pod);
      const source = this.workers.find((worker) => isStaticPod(worker.pod) && podKey(worker.pod) === podKey(pod));
      if (source === undefined) mirrors.removeOrphan(pod);
      else source.wake();
      return;
    }
    const known = this.#workers.get(uidOf(pod));
    if (known !== undefined) {
      known.update(pod);
      this.#tryResize(known);
      return;
    }
    const worker = this.#startWorker(pod);
    if (isStaticPod(pod)) mirrors.ensure(pod);
    if (pod.metadata.deletionTimestamp !== undefined) worker.terminate({});
    else if (!isPodTerminal(pod) && !this.#admit(pod)) return;
    this.#options.onPodsChanged();
  }

  #startWorker(pod: Pod): PodWorker {
    const { allocations, deps, mirrors } = this.#options;
    const worker = new PodWorker(deps, pod, {
      allocated: (current) => {
        const pending = allocations.pendingCondition(uidOf(current));
        return {
          pod: allocations.withAllocatedResources(current),
          actuated: allocations.actuated(current),
          resizeConditions: pending === undefined ? [] : [pending],
        };
      },
      onTerminated: (uid) => {
        allocations.removePod(uid);
        this.#retryResizes();
        this.#options.onPodsChanged();
      },
      onFinished: (uid) => {
        this.#workers.delete(uid);
        if (isStaticPod(pod)) mirrors.remove(pod);
        this.#options.onPodsChanged();
      },
    });
    this.#workers.set(uidOf(pod), worker);
    this.#group.start(podKey(pod), (signal) => worker.run(signal));
    return worker;
  }

  /** Those whose resources a pod cannot have. A pod that was deleted by force leaves its own at once. */
  #otherActivePods(pod: Pod): Pod[] {
    return this.activePods().filter(
      (other) => uidOf(other) !== uidOf(pod) && this.#workers.get(uidOf(other))?.isRemovedFromApi !== true,
    );
  }

  /** A pod that was admitted before a restart of the kubelet is not checked again. */
  #admit(pod: Pod): boolean {
    const { allocations, deps, node, allocatable, pressures, shuttingDown } = this.#options;
    if (allocations.hasAllocation(pod)) return true;
    const wasRunning = pod.status?.containerStatuses?.some(({ containerID }) => containerID !== undefined) ?? false;
    const others = this.#otherActivePods(pod);
    const rejection = wasRunning
      ? undefined
      : admitPod({
          pod,
          node: node(),
          others,
          allocatable: allocatable(),
          pressures: pressures(),
          allowedUnsafeSysctls: deps.config.allowedUnsafeSysctls,
          shuttingDown: shuttingDown(),
        });
    if (rejection === undefined || this.#preemptFor(pod, others, rejection)) {
      allocations.allocate(pod);
      return true;
    }
    this.#reject(pod, rejection);
    return false;
  }

  #preemptFor(pod: Pod, others: readonly Pod[], { insufficient }: PodRejection): boolean {
    if (insufficient === undefined || !isCriticalPod(pod)) return false;
    const victims = podsToPreempt(pod, others, insufficient);
    if (victims === undefined) return false;
    for (const victim of victims) {
      const message = 'Preempted in order to admit critical pod';
      this.#options.deps.events.pod(victim, 'Warning', 'Preempting', message);
      this.terminate(uidOf(victim), {
        failure: {
          phase: 'Failed',
          reason: 'Preempting',
          message,
          conditions: [this.#disruptionTarget(victim, 'Pod was preempted by Kubelet to accommodate a critical pod.')],
        },
      });
    }
    return true;
  }

  #disruptionTarget(pod: Pod, message: string) {
    return {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'TerminationByKubelet',
      message,
      observedGeneration: pod.metadata.generation,
      lastTransitionTime: formatTime(this.#ctx.clock.now()),
    };
  }

  #reject(pod: Pod, { reason, message }: PodRejection): void {
    const { deps } = this.#options;
    deps.events.pod(pod, 'Warning', reason, message);
    const withQos: Pod = { ...pod, status: { ...pod.status, qosClass: podQos(pod) } };
    this.#workers.get(uidOf(pod))?.update(withQos);
    this.terminate(uidOf(pod), {
      failure: { phase: 'Failed', reason, message: `Pod was rejected: ${message}`, rejected: true },
    });
  }

  #retryResizes(): void {
    const { allocations } = this.#options;
    for (const worker of this.workers)
      if (!worker.isTerminating && allocations.pendingCondition(worker.uid) !== undefined) this.#tryResize(worker);
  }

  #tryResize(worker: PodWorker): void {
    const { allocations, allocatable, deps } = this.#options;
    const { pod, uid } = worker;
    const generation = pod.metadata.generation ?? 0;
    const before = allocations.pendingCondition(uid);
    const outcome = allocations.tryResize(pod, this.#otherActivePods(pod), allocatable());
    if (outcome === 'allocated') {
      worker.resizeAllocated();
      deps.events.pod(pod, 'Normal', 'ResizeStarted', resizeMessage('started', pod, { generation }));
      // A pod that became smaller leaves room for others.
      this.#retryResizes();
    } else if (outcome !== 'none') {
      const { reason, message, observedGeneration } = outcome;
      if (before?.reason === reason && before?.message === message && before?.observedGeneration === observedGeneration)
        return;
      worker.wake();
      const text = resizeMessage(reason ?? '', pod, { generation, error: message });
      deps.events.pod(pod, 'Warning', `Resize${reason}`, text);
    }
  }

  /** The API object is gone: kills the pod immediately. */
  #podDeleted(pod: Pod): void {
    if (isMirrorPod(pod)) {
      this.#options.mirrors.mirrorDeleted(pod);
      return;
    }
    this.#workers.get(uidOf(pod))?.terminate({ removedFromApi: true });
    this.#retryResizes();
  }
}

const createdAt = ({ metadata: { creationTimestamp } }: Pod): number =>
  creationTimestamp === undefined ? 0 : parseTime(creationTimestamp);
