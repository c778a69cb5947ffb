/** The probes of all running containers: each has its own rhythm, and tells the pod's worker when its result changes. */
import type { Container, Pod, Probe } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { isRestartableInitContainer } from '../../component-helpers/index.ts';
import { childContext, type Context, type Timer } from '../../kernel/index.ts';
import type { ProbeResult } from '../pod/pod-actions.ts';
import type { PodEvents } from '../pod/pod-events.ts';
import { uidOf } from '../pod/pod-identity.ts';
import type { ObservedPod } from '../runtime/observe-pod.ts';
import { runProbe, type ProbeDependencies } from './run-probe.ts';

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

const KINDS = [
  ['startup', 'startupProbe', 'Startup'],
  ['readiness', 'readinessProbe', 'Readiness'],
  ['liveness', 'livenessProbe', 'Liveness'],
] as const satisfies readonly (readonly [ProbeKind, keyof Container, string])[];

const MAX_TRIES = 3;

export interface ProbeManagerOptions extends Omit<ProbeDependencies, 'clock'> {
  readonly events: PodEvents;
  readonly wake: (podUid: string) => void;
}

interface Watched {
  readonly stop: AbortController;
  readonly results: Partial<Record<ProbeKind, ProbeResult>>;
  pod: Pod;
  podIp: string;
  /** Wakes probes that wait for the startup probe. */
  readonly started: Set<() => void>;
}

export class ProbeManager {
  readonly #ctx: Context;
  readonly #options: ProbeManagerOptions;
  readonly #watched = new Map<string, Map<string, Watched>>();
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

  /** Starts the probes of containers that run, stops those of others. */
  update(pod: Pod, observed: ObservedPod): void {
    const uid = uidOf(pod);
    const podIp = observed.sandboxes.find(({ ready }) => ready)?.ips[0] ?? pod.status?.hostIP ?? '';
    const current = this.#watched.get(uid) ?? new Map<string, Watched>();
    const running = new Map(
      observed.containers.filter(({ state }) => state === 'running').map((container) => [container.id, container]),
    );
    for (const [id, watched] of current) {
      if (running.has(id)) Object.assign(watched, { pod, podIp });
      else {
        watched.stop.abort(new Error('the container has stopped'));
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
      current.set(id, this.#watch({ pod, podIp, container, containerId: id, startedAt }));
    }
    if (current.size > 0) this.#watched.set(uid, current);
    else this.#watched.delete(uid);
  }

  result(kind: ProbeKind, containerId: string): ProbeResult {
    for (const containers of this.#watched.values()) {
      const watched = containers.get(containerId);
      if (watched !== undefined) return watched.results[kind] ?? 'unknown';
    }
    return 'unknown';
  }

  /** Liveness and startup probes have no say once the pod is being stopped; readiness probes go on. */
  remove(podUid: string): void {
    for (const { stop } of this.#watched.get(podUid)?.values() ?? []) stop.abort(new Error('the pod is gone'));
    this.#watched.delete(podUid);
  }

  async stop(): Promise<void> {
    for (const uid of [...this.#watched.keys()]) this.remove(uid);
    await Promise.all(this.#running);
  }

  #watch(target: { pod: Pod; podIp: string; container: Container; containerId: string; startedAt: number }): Watched {
    const { pod, container, containerId } = target;
    const watched: Watched = {
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
      // A kubelet that starts again takes a container's word for what it was, until its own probe says otherwise.
      if (kind === 'readiness')
        watched.results.readiness = sameContainer && before?.ready === true ? 'success' : 'failure';
      else if (kind === 'startup')
        watched.results.startup = sameContainer && before?.started === true ? 'success' : 'unknown';
      else watched.results.liveness = 'success';
      if (kind === 'startup' && watched.results.startup === 'success') continue;
      const run = this.#probeLoop({
        kind,
        title,
        probe,
        container,
        containerId,
        watched,
        startedAt: target.startedAt,
      }).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
    return watched;
  }

  async #probeLoop(loop: {
    kind: ProbeKind;
    title: string;
    probe: Probe;
    container: Container;
    containerId: string;
    watched: Watched;
    startedAt: number;
  }): Promise<void> {
    const { kind, probe, watched, container } = loop;
    const { clock } = this.#ctx;
    const { signal } = watched.stop;
    const period = Math.max(1, probe.periodSeconds ?? 10) * 1000;
    let last: 'success' | 'failure' | undefined;
    let repeated = 0;
    const initial = Math.max(0, loop.startedAt + (probe.initialDelaySeconds ?? 0) * 1000 - clock.now());
    if (!(await this.#pause(initial, signal))) return;
    while (!signal.aborted) {
      if (kind !== 'startup' && container.startupProbe !== undefined && watched.results.startup !== 'success') {
        if (!(await untilStarted(watched, signal))) return;
      }
      const result = await this.#once(loop);
      if (signal.aborted) return;
      if (result !== undefined) {
        repeated = result === last ? repeated + 1 : 1;
        last = result;
        const threshold = result === 'success' ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
        if (repeated >= threshold && this.#settle(loop, result)) return;
      }
      if (!(await this.#pause(period, signal))) return;
    }
  }

  /** True when the probe has done its work: what follows comes with another container. */
  #settle({ kind, watched }: { kind: ProbeKind; watched: Watched }, result: 'success' | 'failure'): boolean {
    const changed = watched.results[kind] !== result;
    watched.results[kind] = result;
    if (changed) this.#options.wake(uidOf(watched.pod));
    if (kind === 'startup' && result === 'success') {
      for (const wake of watched.started) wake();
      return true;
    }
    return kind !== 'readiness' && result === 'failure';
  }

  async #once({
    title,
    probe,
    container,
    containerId,
    watched,
  }: {
    kind: ProbeKind;
    title: string;
    probe: Probe;
    container: Container;
    containerId: string;
    watched: Watched;
  }): Promise<'success' | 'failure' | undefined> {
    const { events, runtime, dial } = this.#options;
    const { clock } = this.#ctx;
    const { signal } = watched.stop;
    const { name = '', namespace = '', uid = '' } = watched.pod.metadata;
    const count = (result: string): void =>
      this.#total.inc({ probe_type: title, result, container: container.name, pod: name, namespace, pod_uid: uid });
    let problem: unknown;
    for (let tries = 0; tries < MAX_TRIES && !signal.aborted; tries++) {
      try {
        const { result, output } = await runProbe(
          probe,
          { pod: watched.pod, container, containerId, podIp: watched.podIp },
          { runtime, dial, clock },
          signal,
        );
        count(result === 'success' ? 'successful' : 'failed');
        if (result === 'failure' && !signal.aborted)
          events.container(watched.pod, container.name, 'Warning', 'Unhealthy', `${title} probe failed: ${output}`);
        return result;
      } catch (error) {
        problem = error;
      }
    }
    if (signal.aborted) return undefined;
    count('unknown');
    events.container(
      watched.pod,
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

function untilStarted(watched: Watched, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (): void => {
      watched.started.delete(done);
      signal.removeEventListener('abort', done);
      resolve(!signal.aborted);
    };
    watched.started.add(done);
    signal.addEventListener('abort', done, { once: true });
  });
}
