/**
 * The probe manager: runs the startup, readiness and liveness probes of all running containers, and wakes the pod's
 * worker when a result changes.
 */
import type { Container, Pod, Probe } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { isRestartableInitContainer } from '../../component-helpers/index.ts';
import { childContext, type Context, type Timer } from '../../kernel/index.ts';
import type { ProbeResult } from '../pod/pod-actions.ts';
import type { PodEvents } from '../pod/pod-events.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { podSpan } from '../pod/pod-spans.ts';
import type { ObservedPod } from '../runtime/observe-pod.ts';
import { runProbe, type ProbeDependencies } from './run-probe.ts';

type ProbeKind = 'startup' | 'readiness' | 'liveness';

const KINDS = [
  ['startup', 'startupProbe', 'Startup'],
  ['readiness', 'readinessProbe', 'Readiness'],
  ['liveness', 'livenessProbe', 'Liveness'],
] as const satisfies readonly (readonly [ProbeKind, keyof Container, string])[];

const MAX_TRIES = 3;

interface ProbeManagerOptions extends Omit<ProbeDependencies, 'clock'> {
  readonly events: PodEvents;
  readonly wake: (podUid: string) => void;
}

interface ProbeWorker {
  readonly stop: AbortController;
  readonly results: Partial<Record<ProbeKind, ProbeResult>>;
  pod: Pod;
  podIp: string;
  /** Called when the startup probe succeeds, which other probes wait for. */
  readonly started: Set<() => void>;
}

export class ProbeManager {
  readonly #ctx: Context;
  readonly #options: ProbeManagerOptions;
  readonly #workers = new Map<string, Map<string, ProbeWorker>>();
  readonly #running = new Set<Promise<void>>();
  readonly #total;

  constructor(ctx: Context, options: ProbeManagerOptions) {
    this.#ctx = childContext(ctx, 'probes');
    this.#options = options;
    this.#total = ctx.metrics.counter({
      name: 'prober_probe_total',
      help: 'Cumulative number of a liveness, readiness or startup probe for a container by result.',
      labels: ['probe_type', 'result', 'container', 'pod', 'namespace', 'pod_uid'],
    });
  }

  /** Starts probes of running containers, and stops those of others. */
  update(pod: Pod, observed: ObservedPod): void {
    const uid = uidOf(pod);
    const podIp = observed.sandboxes.find(({ ready }) => ready)?.ips[0] ?? pod.status?.hostIP ?? '';
    const current = this.#workers.get(uid) ?? new Map<string, ProbeWorker>();
    const running = new Map(
      observed.containers.filter(({ state }) => state === 'running').map((container) => [container.id, container]),
    );
    for (const [id, worker] of current) {
      if (running.has(id)) Object.assign(worker, { pod, podIp });
      else {
        worker.stop.abort(new Error('the container has stopped'));
        current.delete(id);
      }
    }
    const probed = [
      ...(pod.spec?.initContainers ?? []).filter(isRestartableInitContainer),
      ...(pod.spec?.containers ?? []),
    ];
    for (const [id, { name, startedAt }] of running) {
      const container = probed.find((one) => one.name === name);
      if (container === undefined || current.has(id) || !KINDS.some(([, field]) => container[field] !== undefined))
        continue;
      current.set(id, this.#startProbes({ pod, podIp, container, containerId: id, startedAt }));
    }
    if (current.size > 0) this.#workers.set(uid, current);
    else this.#workers.delete(uid);
  }

  result(kind: ProbeKind, containerId: string): ProbeResult {
    for (const containers of this.#workers.values()) {
      const worker = containers.get(containerId);
      if (worker !== undefined) return worker.results[kind] ?? 'unknown';
    }
    return 'unknown';
  }

  /** Stops all probes of a pod. */
  remove(podUid: string): void {
    for (const { stop } of this.#workers.get(podUid)?.values() ?? []) stop.abort(new Error('the pod is gone'));
    this.#workers.delete(podUid);
  }

  async stop(): Promise<void> {
    for (const uid of [...this.#workers.keys()]) this.remove(uid);
    await Promise.all(this.#running);
  }

  #startProbes(target: {
    pod: Pod;
    podIp: string;
    container: Container;
    containerId: string;
    startedAt: number;
  }): ProbeWorker {
    const { pod, container, containerId } = target;
    const worker: ProbeWorker = {
      stop: new AbortController(),
      results: {},
      pod,
      podIp: target.podIp,
      started: new Set(),
    };
    const before = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].find(
      (status) => status.name === container.name,
    );
    const sameContainer = before?.containerID?.endsWith(`//${containerId}`) ?? false;
    for (const [kind, field, title] of KINDS) {
      const probe = container[field];
      if (probe === undefined) continue;
      // After a restart of the kubelet, the results in the pod's status count until the first probe.
      if (kind === 'readiness')
        worker.results.readiness = sameContainer && before?.ready === true ? 'success' : 'failure';
      else if (kind === 'startup')
        worker.results.startup = sameContainer && before?.started === true ? 'success' : 'unknown';
      else worker.results.liveness = 'success';
      if (kind === 'startup' && worker.results.startup === 'success') continue;
      const run = this.#probeLoop({
        kind,
        title,
        probe,
        container,
        containerId,
        worker,
        startedAt: target.startedAt,
      }).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
    return worker;
  }

  async #probeLoop(loop: {
    kind: ProbeKind;
    title: string;
    probe: Probe;
    container: Container;
    containerId: string;
    worker: ProbeWorker;
    startedAt: number;
  }): Promise<void> {
    const { kind, probe, worker, container } = loop;
    const { clock } = this.#ctx;
    const { signal } = worker.stop;
    const period = Math.max(1, probe.periodSeconds ?? 10) * 1000;
    let last: 'success' | 'failure' | undefined;
    let repeated = 0;
    const initial = Math.max(0, loop.startedAt + (probe.initialDelaySeconds ?? 0) * 1000 - clock.now());
    if (!(await this.#pause(initial, signal))) return;
    while (!signal.aborted) {
      if (kind !== 'startup' && container.startupProbe !== undefined && worker.results.startup !== 'success') {
        if (!(await untilStarted(worker, signal))) return;
      }
      const startedAt = clock.monotonic();
      const result = await this.#probeOnce(loop);
      if (signal.aborted) return;
      if (result !== undefined) {
        repeated = result === last ? repeated + 1 : 1;
        last = result;
        const threshold = result === 'success' ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
        if (repeated >= threshold && worker.results[kind] !== result) this.#record(loop, result, startedAt);
        if (repeated >= threshold && this.#setResult(loop, result)) return;
      }
      if (!(await this.#pause(period, signal))) return;
    }
  }

  /** Only a probe that changes a result is recorded: there are too many others. */
  #record(
    { kind, worker, container }: { kind: ProbeKind; worker: ProbeWorker; container: Container },
    result: 'success' | 'failure',
    startedAt: number,
  ): void {
    const { tracer } = this.#ctx;
    if (!tracer.enabled) return;
    const span = tracer.start(`${kind} probe`, {
      ...podSpan(worker.pod, { 'k8s.container.name': container.name }),
      startedAt,
    });
    tracer.end(span, result === 'failure' ? `the ${kind} probe failed` : undefined);
  }

  /** Stores the result. True when the probe loop must end: the container has started up or will be killed. */
  #setResult({ kind, worker }: { kind: ProbeKind; worker: ProbeWorker }, result: 'success' | 'failure'): boolean {
    const changed = worker.results[kind] !== result;
    worker.results[kind] = result;
    if (changed) this.#options.wake(uidOf(worker.pod));
    if (kind === 'startup' && result === 'success') {
      for (const wake of worker.started) wake();
      return true;
    }
    return kind !== 'readiness' && result === 'failure';
  }

  async #probeOnce({
    title,
    probe,
    container,
    containerId,
    worker,
  }: {
    kind: ProbeKind;
    title: string;
    probe: Probe;
    container: Container;
    containerId: string;
    worker: ProbeWorker;
  }): Promise<'success' | 'failure' | undefined> {
    const { events, runtime, dial } = this.#options;
    const { clock } = this.#ctx;
    const { signal } = worker.stop;
    const { name = '', namespace = '', uid = '' } = worker.pod.metadata;
    const count = (result: string): void =>
      this.#total.inc({ probe_type: title, result, container: container.name, pod: name, namespace, pod_uid: uid });
    let problem: unknown;
    for (let tries = 0; tries < MAX_TRIES && !signal.aborted; tries++) {
      try {
        const { result, output } = await runProbe(
          probe,
          { pod: worker.pod, container, containerId, podIp: worker.podIp },
          { runtime, dial, clock },
          signal,
        );
        count(result === 'failure' ? 'failed' : 'successful');
        if (result === 'failure' && !signal.aborted)
          events.container(worker.pod, container.name, 'Warning', 'Unhealthy', `${title} probe failed: ${output}`);
        if (result === 'warning' && !signal.aborted)
          events.container(worker.pod, container.name, 'Warning', 'ProbeWarning', `${title} probe warning: ${output}`);
        return result === 'failure' ? 'failure' : 'success';
      } catch (error) {
        problem = error;
      }
    }
    if (signal.aborted) return undefined;
    count('unknown');
    events.container(
      worker.pod,
      container.name,
      'Warning',
      'Unhealthy',
      `${title} probe errored and resulted in unknown state: ${errorMessage(problem)}`,
    );
    return undefined;
  }

  #pause(ms: number, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#ctx;
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const aborted = (): void => {
        timer?.cancel();
        resolve(false);
      };
      timer = clock.after(ms, () => {
        signal.removeEventListener('abort', aborted);
        resolve(true);
      });
      signal.addEventListener('abort', aborted, { once: true });
    });
  }
}

function untilStarted(worker: ProbeWorker, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (): void => {
      worker.started.delete(done);
      signal.removeEventListener('abort', done);
      resolve(!signal.aborted);
    };
    worker.started.add(done);
    signal.addEventListener('abort', done, { once: true });
  });
}
