/** All pods of this node: where they come from, whether they may run here, and the worker of each. */
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { formatTime, parseTime } from '../../base/index.ts';
import type { SharedInformer } from '../../client/index.ts';
import { isPodTerminal, podQos } from '../../component-helpers/index.ts';
import { RunGroup, type Context } from '../../kernel/index.ts';
import { admitPod, type Refusal } from '../admission/admit-pod.ts';
import type { Allocations } from '../admission/allocations.ts';
import { podsToPreempt } from '../admission/preempt-for-critical.ts';
import type { RuntimePodSummary } from '../runtime/observe-pod.ts';
import type { MirrorPods } from './mirror-pods.ts';
import type { PodParts } from './pod-parts.ts';
import { isCriticalPod, isMirrorPod, isStaticPod } from './pod-resources.ts';
import { podKey, uidOf } from './pod-text.ts';
import { PodWorker, type Termination } from './pod-worker.ts';

export interface PodManagerOptions {
  readonly parts: PodParts;
  readonly informer: SharedInformer<Pod>;
  readonly allocations: Allocations;
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

  /** Begins to work: what the API has goes in the order of its creation, as it was admitted before. */
  start(): void {
    const { informer } = this.#options;
    const initial = informer.list().toSorted((a, b) => createdAt(a) - createdAt(b));
    for (const pod of initial) this.#handle(pod);
    this.#ready = true;
    informer.addHandler({
      onAdd: (pod) => this.#handle(pod),
      onUpdate: (_, pod) => this.#handle(pod),
      onDelete: (pod) => this.#forgotten(pod),
    });
  }

  /** The pods that the files say, all of them. */
  setStaticPods(pods: readonly Pod[]): void {
    const wanted = new Set(pods.map(uidOf));
    for (const worker of this.#workers.values()) {
      if (isStaticPod(worker.pod) && !wanted.has(worker.uid))
        worker.terminate({ forgotten: true, graceSeconds: worker.pod.spec?.terminationGracePeriodSeconds ?? 30 });
    }
    for (const pod of pods) this.#handle(pod);
  }

  wake(uid: string): void {
    this.#workers.get(uid)?.wake();
  }

  worker(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  /** Those of which something is written to a log. */
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

  /** Pods with their newest status; finished and terminating ones too. */
  pods(): Pod[] {
    return this.workers.map((worker) => worker.podWithStatus);
  }

  /** Pods that hold resources of the node, as they were granted. */
  activePods(): Pod[] {
    const { allocations } = this.#options;
    return this.workers
      .filter((worker) => !worker.isStopped && !isPodTerminal(worker.podWithStatus))
      .map((worker) => allocations.apply(worker.podWithStatus));
  }

  terminate(uid: string, termination: Termination): void {
    this.#workers.get(uid)?.terminate(termination);
  }

  /** Pods of the runtime that neither the API nor a file knows are ended. */
  adopt(pods: ReadonlyMap<string, RuntimePodSummary>): void {
    if (!this.#ready) return;
    for (const { uid, name, namespace } of pods.values()) {
      if (this.#workers.has(uid)) continue;
      const orphan: Pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { uid, name, namespace },
        spec: { containers: [] },
      };
      this.#ctx.logger.v(2).info('Ending a pod that nobody asked for', { pod: podKey(orphan), podUID: uid });
      this.#begin(orphan).terminate({ forgotten: true });
    }
  }

  async wait(): Promise<void> {
    await this.#group.wait();
  }

  #handle(pod: Pod): void {
    const { mirrors, allocations } = this.#options;
    if (isMirrorPod(pod)) {
      mirrors.seen(pod);
      const source = this.workers.find((worker) => isStaticPod(worker.pod) && podKey(worker.pod) === podKey(pod));
      if (source === undefined) mirrors.removeOrphan(pod);
      else source.wake();
      return;
    }
    const known = this.#workers.get(uidOf(pod));
    if (known !== undefined) {
      known.update(pod);
      if (allocations.tryResize(pod, this.#othersOf(pod), this.#options.allocatable()) !== 'none') known.wake();
      return;
    }
    const worker = this.#begin(pod);
    if (isStaticPod(pod)) mirrors.ensure(pod);
    if (pod.metadata.deletionTimestamp !== undefined) worker.terminate({});
    else if (!isPodTerminal(pod) && !this.#admit(pod)) return;
    this.#options.onPodsChanged();
  }

  #begin(pod: Pod): PodWorker {
    const { allocations, parts, mirrors } = this.#options;
    const worker = new PodWorker(parts, pod, {
      granted: (current) => {
        const pending = allocations.pendingCondition(uidOf(current));
        return { pod: allocations.apply(current), resizeConditions: pending === undefined ? [] : [pending] };
      },
      onStopped: (uid) => {
        allocations.forget(uid);
        this.#retryResizes();
        this.#options.onPodsChanged();
      },
      onGone: (uid) => {
        this.#workers.delete(uid);
        if (isStaticPod(pod)) mirrors.remove(pod);
        this.#options.onPodsChanged();
      },
    });
    this.#workers.set(uidOf(pod), worker);
    this.#group.start(podKey(pod), (signal) => worker.run(signal));
    return worker;
  }

  #othersOf(pod: Pod): Pod[] {
    return this.activePods().filter((other) => uidOf(other) !== uidOf(pod));
  }

  /** A pod that was admitted before the kubelet's restart is not asked again. */
  #admit(pod: Pod): boolean {
    const { allocations, parts, node, allocatable, pressures, shuttingDown } = this.#options;
    if (allocations.isKnown(pod)) return true;
    const wasRunning = pod.status?.containerStatuses?.some(({ containerID }) => containerID !== undefined) ?? false;
    const others = this.#othersOf(pod);
    const refusal = wasRunning
      ? undefined
      : admitPod({
          pod,
          node: node(),
          others,
          allocatable: allocatable(),
          pressures: pressures(),
          allowedUnsafeSysctls: parts.config.allowedUnsafeSysctls,
          shuttingDown: shuttingDown(),
        });
    if (refusal === undefined || this.#makeRoom(pod, others, refusal)) {
      allocations.grant(pod);
      return true;
    }
    this.#refuse(pod, refusal);
    return false;
  }

  #makeRoom(pod: Pod, others: readonly Pod[], { insufficient }: Refusal): boolean {
    if (insufficient === undefined || !isCriticalPod(pod)) return false;
    const victims = podsToPreempt(pod, others, insufficient);
    if (victims === undefined) return false;
    for (const victim of victims) {
      const message = 'Preempted in order to admit critical pod';
      this.#options.parts.events.pod(victim, 'Warning', 'Preempting', message);
      this.terminate(uidOf(victim), {
        verdict: {
          phase: 'Failed',
          reason: 'Preempting',
          message,
          conditions: [this.#disruption(victim, 'Pod was preempted by Kubelet to accommodate a critical pod.')],
        },
      });
    }
    return true;
  }

  #disruption(pod: Pod, message: string) {
    return {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'TerminationByKubelet',
      message,
      observedGeneration: pod.metadata.generation,
      lastTransitionTime: formatTime(this.#ctx.clock.now()),
    };
  }

  #refuse(pod: Pod, { reason, message }: Refusal): void {
    const { parts } = this.#options;
    parts.events.pod(pod, 'Warning', reason, message);
    const withQos: Pod = { ...pod, status: { ...pod.status, qosClass: podQos(pod) } };
    this.#workers.get(uidOf(pod))?.update(withQos);
    this.terminate(uidOf(pod), {
      verdict: { phase: 'Failed', reason, message: `Pod was rejected: ${message}`, rejected: true },
    });
  }

  #retryResizes(): void {
    const { allocations, allocatable } = this.#options;
    for (const worker of this.workers) {
      if (worker.isTerminating || allocations.pendingCondition(worker.uid) === undefined) continue;
      if (allocations.tryResize(worker.pod, this.#othersOf(worker.pod), allocatable()) === 'granted') worker.wake();
    }
  }

  /** The object is gone: whatever still runs of it goes at once. */
  #forgotten(pod: Pod): void {
    if (isMirrorPod(pod)) {
      this.#options.mirrors.gone(pod);
      return;
    }
    this.#workers.get(uidOf(pod))?.terminate({ forgotten: true });
  }
}

const createdAt = ({ metadata: { creationTimestamp } }: Pod): number =>
  creationTimestamp === undefined ? 0 : parseTime(creationTimestamp);
