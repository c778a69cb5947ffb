/** One pod on a simulated node: a behaviour moves its containers through their states. */
import type { Pod, PodStatus } from '../api/generated/core-v1.ts';
import { formatTime } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import { isPodReady, isTerminalPhase } from '../component-helpers/index.ts';
import { revisionOf, type Clock, type Logger, type Random, type Timer } from '../kernel/index.ts';
import { requestedAmounts, type Rejection, type RequestedAmounts } from './admit-pod.ts';
import { adoptContainers, containerModels, ephemeralModels } from './container-models.ts';
import { PodLog } from './pod-log.ts';
import { defaultScript, milliseconds, type Duration, type PodScript, type PodUsage } from './pod-script.ts';
import { podStatus, type ContainerModel } from './pod-status.ts';

/**
 * Drives a pod; called at each start of its containers. It may return a script, or be asynchronous and call the pod's
 * methods itself: then its next `sleep` rejects when the pod is deleted. A behaviour that does neither leaves the pod
 * to the behaviours that were registered before it.
 */
export type PodBehaviour = (pod: SimulatedPod) => PodScript | undefined | void | Promise<void>;

/** What a pod needs from its node. */
export interface PodHost {
  /** Authenticates as the node's kubelet. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly hostIP: string;
  /** In the order in which they are tried: the newest first. */
  behaviours(): readonly PodBehaviour[];
  allocateAddress(): string;
  /** The pod's status must be written, or the pod deleted from the API. */
  changed(pod: SimulatedPod): void;
}

/** Probes succeed as soon as a kubelet would send them. */
const readinessDelayMs = ({ spec }: Pod): number =>
  1000 * Math.max(0, ...(spec?.containers ?? []).map(({ readinessProbe }) => readinessProbe?.initialDelaySeconds ?? 0));

interface Exit {
  /** Default: all running containers. */
  readonly container?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** How long containers take to stop by default: clients see a pod while it is being deleted. */
const STOP_MS = 500;
const INITIAL_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 300_000;
/** The exit code of a process that SIGTERM ended. */
const SIGTERM_EXIT_CODE = 143;
/** Shared, because there may be a hundred thousand pods and most have no timer. */
const NO_TIMERS: readonly Timer[] = [];

export class SimulatedPod {
  /** The pod as the API server has it. */
  object: Pod;
  podIP: string | undefined;
  /** The pod was deleted and its containers have stopped: the API object may be removed. */
  isStoppedForDeletion = false;
  /** Counts changes of the status, so that the status writer can skip a status that it has written. */
  version = 0;
  /** The version that the status writer wrote last. */
  writtenVersion = -1;
  readonly startTime: number;
  readonly #host: PodHost;
  readonly #containers: ContainerModel[];
  #script: PodScript = {};
  #phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' = 'Pending';
  #failure: { reason: string; message: string } | undefined;
  #timers: readonly Timer[] = NO_TIMERS;
  #running: AbortController | undefined;
  #logs: Map<string, PodLog> | undefined;
  #acted = false;
  #rejected = false;
  #requested: RequestedAmounts | undefined;
  #terminating = false;

  /** Authenticates as the kubelet of the pod's node. */
  get client(): Client {
    return this.#host.client;
  }

  constructor(object: Pod, host: PodHost) {
    this.object = object;
    this.#host = host;
    this.startTime = host.clock.now();
    this.#containers = containerModels(object);
  }

  get name(): string {
    return this.object.metadata.name ?? '';
  }

  get namespace(): string {
    return this.object.metadata.namespace ?? '';
  }

  get restartCount(): number {
    return Math.max(0, ...this.#containers.map((container) => container.restartCount));
  }

  get phase(): string {
    return this.#phase;
  }

  get requested(): RequestedAmounts {
    return (this.#requested ??= requestedAmounts(this.object));
  }

  get script(): PodScript {
    return this.#script;
  }

  get containers(): readonly ContainerModel[] {
    return this.#containers;
  }

  /** The kubelet does not admit the pod. */
  reject({ reason, message }: Rejection): void {
    this.#phase = 'Failed';
    this.#failure = { reason, message };
    this.#rejected = true;
    this.#change();
  }

  /** Starts the simulation, from the status that an earlier process reported if there is one. */
  begin(): void {
    const { status } = this.object;
    if (isTerminalPhase(status?.phase)) {
      this.#phase = status.phase;
      adoptContainers(this.#containers, status);
      return;
    }
    const isRunning = adoptContainers(this.#containers, status);
    if (isRunning || status?.phase === 'Running') {
      this.#phase = 'Running';
      this.podIP = status?.podIP;
      this.#restartEnded();
    }
    if (isRunning) this.#startEphemeral();
    const { activeDeadlineSeconds } = this.object.spec ?? {};
    if (activeDeadlineSeconds !== undefined) this.#after(activeDeadlineSeconds * 1000, () => this.#exceedDeadline());
    this.#runBehaviours();
  }

  /** Their restarts were counted when they ended. Whether the earlier process has begun them, nobody knows. */
  #restartEnded(): void {
    if (this.object.metadata.deletionTimestamp !== undefined) return;
    for (const container of this.#toRestart()) {
      container.last = container.phase;
      container.phase = { type: 'waiting', reason: 'ContainerCreating' };
    }
  }

  /** Starts the containers; init containers complete at once. */
  start(): void {
    this.#acted = true;
    if (this.#terminating || this.#isFinished()) return;
    const startedAt = this.#host.clock.now();
    this.podIP ??= this.object.spec?.hostNetwork ? this.#host.hostIP : this.#host.allocateAddress();
    for (const container of this.#containers) {
      // One that has ended for good stays so when another one restarts.
      if (container.phase.type !== 'waiting') continue;
      container.id = this.#newContainerId();
      if (container.kind === 'init') {
        container.phase = { type: 'terminated', startedAt, finishedAt: startedAt, exitCode: 0, reason: 'Completed' };
        container.ready = true;
      } else {
        container.phase = { type: 'running', startedAt };
        if (container.kind === 'sidecar') container.ready = true;
      }
    }
    this.#phase = 'Running';
    this.#change();
  }

  ready(ready = true): void {
    this.#acted = true;
    for (const container of this.#containers) {
      if (container.kind === 'main') container.ready = ready && container.phase.type === 'running';
    }
    this.#change();
  }

  /** Sets the reason why containers wait, such as ImagePullBackOff or CreateContainerConfigError. */
  wait(reason: string, message?: string): void {
    this.#acted = true;
    for (const container of this.#containers) {
      if (container.kind === 'main' && container.phase.type === 'waiting')
        container.phase = { type: 'waiting', reason, ...(message ? { message } : {}) };
    }
    this.#change();
  }

  /** Containers exit; the restart policy decides whether they restart after a back-off or the pod is finished. */
  exit(exitCode = 0, exit: Exit = {}): void {
    this.#acted = true;
    const finishedAt = this.#host.clock.now();
    for (const container of this.#containers) {
      const { phase } = container;
      if (
        container.kind !== 'main' ||
        phase.type !== 'running' ||
        (exit.container !== undefined && exit.container !== container.spec.name)
      )
        continue;
      const reason = exit.reason ?? (exitCode === 0 ? 'Completed' : 'Error');
      container.ready = false;
      container.phase = {
        type: 'terminated',
        startedAt: phase.startedAt,
        finishedAt,
        exitCode,
        reason,
        ...(exit.message ? { message: exit.message } : {}),
      };
    }
    if (!this.#terminating) this.#afterExit();
    this.#change();
  }

  log(text: string, container?: string): void {
    for (const { spec, kind } of this.#containers) {
      if (container === undefined ? kind === 'main' : spec.name === container)
        this.logOf(spec.name).write(text, this.#host.clock.now());
    }
  }

  logOf(container: string): PodLog {
    this.#logs ??= new Map();
    let log = this.#logs.get(container);
    if (log === undefined) this.#logs.set(container, (log = new PodLog()));
    return log;
  }

  /** Rejects when the pod is deleted. */
  sleep(duration: Duration): Promise<void> {
    this.#acted = true;
    return this.#host.clock.sleep(milliseconds(duration), this.#running?.signal);
  }

  /** Undefined while no container runs. */
  usage(now: number): PodUsage | undefined {
    const running = this.#containers.find(({ kind, phase }) => kind === 'main' && phase.type === 'running')?.phase;
    if (running?.type !== 'running') return undefined;
    const { usage } = this.#script;
    if (typeof usage === 'function') return usage(this.object, now - running.startedAt);
    return usage ?? { cpu: 0.001 * this.#containers.length, memory: 10 * 2 ** 20 * this.#containers.length };
  }

  status(object: Pod): PodStatus {
    const { startTime, podIP } = this;
    // Nothing of containers: clients would show a reason of theirs instead of this one.
    if (this.#rejected) {
      const { qosClass } = object.status ?? {};
      const observedGeneration = object.metadata.generation;
      return {
        ...{ phase: this.#phase, ...this.#failure, startTime: formatTime(startTime) },
        ...(qosClass === undefined ? {} : { qosClass }),
        ...(observedGeneration === undefined ? {} : { observedGeneration }),
      };
    }
    const model = {
      containers: this.#containers,
      startTime,
      hostIP: this.#host.hostIP,
      podIP,
      phase: this.#phase,
      ...this.#failure,
    };
    return podStatus(object, model, this.#host.clock.now());
  }

  /** The API server has a newer version of the pod. */
  update(object: Pod): void {
    const before = this.object;
    this.object = object;
    if (object.metadata.deletionTimestamp !== undefined) return this.terminate();
    if (object.spec?.ephemeralContainers?.length !== before.spec?.ephemeralContainers?.length) this.#startEphemeral();
    if (
      object.metadata.generation !== before.metadata.generation ||
      (object.spec?.readinessGates !== undefined && object.status !== before.status) ||
      this.#isContradicted()
    )
      this.#change();
  }

  /** The status writer has written a version of the status. What others wrote meanwhile may contradict it. */
  written(version: number, stored: Pod | undefined): void {
    this.writtenVersion = version;
    const [seen, own] = [this.object, stored].map((object) => revisionOf(object?.metadata.resourceVersion));
    if (seen !== undefined && own !== undefined && seen > own && this.#isContradicted()) this.#change();
  }

  /** Somebody else has written that the pod is not ready, as the node lifecycle controller does while a node is silent. */
  #isContradicted(): boolean {
    const { object } = this;
    if (this.writtenVersion !== this.version || isPodReady(object)) return false;
    return isPodReady({ ...object, status: this.status(object) });
  }

  /** The pod is being deleted: stops its containers within their grace period. */
  terminate(): void {
    if (this.#terminating) return;
    this.#terminating = true;
    this.#cancel('the pod is being deleted');
    const end = (): void => {
      this.exit(SIGTERM_EXIT_CODE, { reason: 'Error' });
      if (!this.#isFinished()) this.#phase = 'Failed';
      this.isStoppedForDeletion = true;
      for (const log of this.#logs?.values() ?? []) log.end();
      this.#change();
    };
    const graceMs = (this.object.metadata.deletionGracePeriodSeconds ?? 30) * 1000;
    const isRunning = this.#containers.some(({ phase }) => phase.type === 'running');
    const stopMs = Math.min(milliseconds(this.#script.stopAfter ?? (isRunning ? STOP_MS : 0)), graceMs);
    if (stopMs > 0 && !this.#isFinished()) this.#after(stopMs, end);
    else end();
  }

  /** Cancels timers and reports nothing: the node is gone. */
  abandon(): void {
    this.#terminating = true;
    this.#cancel('the node is gone');
    for (const log of this.#logs?.values() ?? []) log.end();
  }

  #runBehaviours(): void {
    this.#running = undefined;
    for (const behaviour of this.#host.behaviours()) {
      this.#acted = false;
      this.#running = new AbortController();
      const result = behaviour(this);
      if (result instanceof Promise) {
        const { signal } = this.#running;
        result.catch((error: unknown) => {
          if (!signal.aborted)
            this.#host.logger.error(error, 'Pod behaviour failed', { pod: `${this.namespace}/${this.name}` });
        });
        return;
      }
      if (result) return this.#startScript(result);
      if (this.#acted) return;
    }
    this.#running = undefined;
    this.#startScript(this.#defaultScript());
  }

  #defaultScript(): PodScript {
    try {
      return defaultScript(this.object);
    } catch (error) {
      this.#host.logger.error(error, 'Invalid behaviour annotation', { pod: `${this.namespace}/${this.name}` });
      return {};
    }
  }

  #startScript(script: PodScript): void {
    this.#script = script;
    if (script.imagePullError !== undefined)
      return this.wait(script.imagePullReason ?? 'ErrImagePull', script.imagePullError);
    const main = this.#containers.filter(({ kind }) => kind === 'main');
    const running = main.find(({ phase }) => phase.type === 'running')?.phase;
    // A pod that ran before this process started has run for a while already.
    if (running?.type === 'running' && !main.some(({ phase }) => phase.type === 'waiting'))
      return this.#runScript(script, this.#ranForMs(running));
    const startMs = milliseconds(script.startAfter ?? 0);
    const start = (): void => {
      this.start();
      for (const line of [script.logs ?? []].flat()) this.log(line);
      this.#runScript(script, 0);
    };
    if (startMs === 0) return start();
    this.#change();
    this.#after(startMs, start);
  }

  #runScript(script: PodScript, ranForMs: number): void {
    const left = (duration: Duration): number => Math.max(0, milliseconds(duration) - ranForMs);
    const readyAfter = script.readyAfter ?? readinessDelayMs(this.object);
    if (readyAfter !== false) {
      if (left(readyAfter) === 0) this.ready();
      else this.#after(left(readyAfter), () => this.ready());
    }
    if (script.runFor !== undefined)
      this.#after(left(script.runFor), () =>
        this.exit(script.exitCode ?? 0, script.exitReason ? { reason: script.exitReason } : {}),
      );
    for (const container of script.containers ? this.#containers : []) this.#runContainer(container, script);
  }

  /** A clock that was ahead may have told the start: then it is as if it were now. */
  #ranForMs({ startedAt }: { readonly startedAt: number }): number {
    return Math.max(0, this.#host.clock.now() - startedAt);
  }

  /** A container that was already running when another one restarted continues. */
  #runContainer(container: ContainerModel, { containers }: PodScript): void {
    const { spec, phase } = container;
    const own = containers?.[spec.name];
    if (container.kind !== 'main' || phase.type !== 'running' || own === undefined || phase.scripted) return;
    container.phase = { ...phase, scripted: true };
    const started = container.phase;
    for (const line of own.logs ?? []) this.log(line, spec.name);
    if (own.runFor === undefined) return;
    this.#after(Math.max(0, milliseconds(own.runFor) - this.#ranForMs(phase)), () => {
      if (container.phase === started) this.exit(own.exitCode ?? 0, { container: spec.name });
    });
  }

  /** Those that have ended and that the restart policy starts again. */
  #toRestart(): ContainerModel[] {
    const policy = this.object.spec?.restartPolicy ?? 'Always';
    return this.#containers.filter(
      ({ kind, phase, restarts }) =>
        kind === 'main' &&
        !restarts &&
        phase.type === 'terminated' &&
        (policy === 'Always' || (policy === 'OnFailure' && phase.exitCode !== 0)),
    );
  }

  #afterExit(): void {
    const restarting = this.#toRestart();
    if (restarting.length > 0) return this.#restartAfterBackOff(restarting);
    const main = this.#containers.filter(({ kind }) => kind === 'main');
    if (!main.every(({ phase, restarts }) => phase.type === 'terminated' && !restarts)) return;
    this.#phase = main.every(({ phase }) => phase.type === 'terminated' && phase.exitCode === 0)
      ? 'Succeeded'
      : 'Failed';
    this.#endEphemeral();
    this.#cancel('the pod has finished');
    for (const log of this.#logs?.values() ?? []) log.end();
  }

  #restartAfterBackOff(containers: readonly ContainerModel[]): void {
    const restarts = Math.max(...containers.map(({ restartCount }) => restartCount));
    const delay = restarts === 0 ? 0 : Math.min(INITIAL_BACKOFF_MS * 2 ** (restarts - 1), MAX_BACKOFF_MS);
    for (const container of containers) {
      container.last = container.phase;
      container.restarts = true;
      container.restartCount++;
      const message = `back-off ${delay / 1000}s restarting failed container=${container.spec.name} pod=${this.name}_${this.namespace}(${this.object.metadata.uid ?? ''})`;
      container.phase = delay === 0 ? container.phase : { type: 'waiting', reason: 'CrashLoopBackOff', message };
    }
    this.#after(delay, () => {
      for (const container of containers) {
        container.restarts = false;
        container.phase = { type: 'waiting', reason: 'ContainerCreating' };
        this.#logs?.get(container.spec.name)?.restart();
      }
      this.#runBehaviours();
    });
  }

  #exceedDeadline(): void {
    this.#terminating = true;
    this.#cancel('the pod exceeded its deadline');
    this.exit(SIGTERM_EXIT_CODE, { reason: 'Error' });
    this.#phase = 'Failed';
    this.#failure = {
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    };
    this.#terminating = false;
    this.#change();
  }

  #startEphemeral(): void {
    this.#containers.push(...ephemeralModels(this.object, this.#containers));
    if (this.#phase !== 'Running' || this.#terminating) return;
    for (const container of this.#containers) {
      if (container.kind !== 'ephemeral' || container.phase.type !== 'waiting') continue;
      container.id = this.#newContainerId();
      container.phase = { type: 'running', startedAt: this.#host.clock.now() };
    }
  }

  /** They do not outlive the containers that they were added to. */
  #endEphemeral(): void {
    const finishedAt = this.#host.clock.now();
    for (const container of this.#containers) {
      const { phase } = container;
      if (container.kind !== 'ephemeral' || phase.type !== 'running') continue;
      const { startedAt } = phase;
      container.phase = { type: 'terminated', startedAt, finishedAt, exitCode: SIGTERM_EXIT_CODE, reason: 'Error' };
    }
  }

  #newContainerId(): string {
    return Buffer.from(this.#host.random.bytes(32)).toString('hex');
  }

  #isFinished(): boolean {
    return isTerminalPhase(this.#phase);
  }

  #after(ms: number, fire: () => void): void {
    const timer = this.#host.clock.after(ms, () => {
      this.#timers = this.#timers.filter((candidate) => candidate !== timer);
      fire();
    });
    this.#timers = [...this.#timers, timer];
  }

  #cancel(reason: string): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = NO_TIMERS;
    if (this.#running?.signal.aborted === false) this.#running.abort(new Error(reason));
  }

  #change(): void {
    this.version++;
    this.#host.changed(this);
  }
}
