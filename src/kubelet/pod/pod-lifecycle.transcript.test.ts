/**
 * The life of a pod as a transcript: what happens to it, what the state machine (`sync-pod.ts`) decides, and the status
 * that follows. A small model of a runtime carries the decisions out at once; time passes only where the story says so.
 */
import { expect, it } from 'vitest';
import type { ContainerState, Pod, PodStatus } from '../../api/generated/core-v1.ts';
import { containerHash } from '../runtime/labels.ts';
import type { ObservedContainer, ObservedPod, ObservedSandbox } from '../runtime/observe-pod.ts';
import { BackOffTable } from './back-off.ts';
import type { StartProblem } from './container-statuses.ts';
import type { PodActions, ProbeResult } from './pod-actions.ts';
import { podStatus } from './pod-status.ts';
import { isNothingToDo, syncPod } from './sync-pod.ts';

type ProbeKind = 'liveness' | 'readiness' | 'startup';

const START = Date.parse('2026-01-01T00:00:00Z');

class PodStory {
  readonly #lines: string[] = [];
  readonly #backOff = new BackOffTable({ initialMs: 10_000, maxMs: 300_000 });
  readonly #problems = new Map<string, StartProblem>();
  /** By container; as with the probe manager, a new instance of a container begins with fresh results. */
  readonly #probes = new Map<string, Record<ProbeKind, ProbeResult>>();
  #pod: Pod;
  #sandboxes: ObservedSandbox[] = [];
  #containers: ObservedContainer[] = [];
  #now = START;
  #ids = 0;

  constructor(pod: Pod) {
    this.#pod = pod;
  }

  /** Time passes, something happens, and the pod is synced until there is nothing to do. */
  then(seconds: number, what: string, happens: () => void = () => {}): this {
    this.#now += seconds * 1000;
    this.#lines.push(`${(this.#now - START) / 1000}s ${what}`);
    happens();
    this.#sync();
    return this;
  }

  probe(name: string, kind: ProbeKind, result: ProbeResult): void {
    const results = this.#probes.get(name);
    if (results !== undefined) results[kind] = result;
  }

  exit(name: string, exitCode: number): void {
    this.#containers = this.#containers.map((container) =>
      container.name === name && container.state === 'running'
        ? { ...container, state: 'exited', exitCode, finishedAt: this.#now }
        : container,
    );
  }

  delete(): void {
    const metadata = {
      ...this.#pod.metadata,
      deletionTimestamp: '2026-01-01T00:01:00Z',
      deletionGracePeriodSeconds: 30,
    };
    this.#pod = { ...this.#pod, metadata };
  }

  get transcript(): string {
    return this.#lines.join('\n');
  }

  #sync(): void {
    for (let syncs = 0; syncs < 10; syncs++) {
      const observed = this.#observe();
      const actions = syncPod({
        pod: this.#pod,
        observed,
        probes: { liveness: (id) => this.#result(id, 'liveness'), startup: (id) => this.#result(id, 'startup') },
      });
      this.#lines.push(`  decides: ${describeActions(actions)}`);
      if (isNothingToDo(actions) || !this.#perform(actions)) break;
    }
    this.#reportStatus();
  }

  #result(containerId: string, kind: ProbeKind): ProbeResult {
    const container = this.#containers.find(({ id }) => id === containerId);
    return this.#probes.get(container?.name ?? '')?.[kind] ?? 'unknown';
  }

  #observe(): ObservedPod {
    const { uid = '', name = '', namespace = '' } = this.#pod.metadata;
    return { uid, name, namespace, sandboxes: this.#sandboxes, containers: this.#containers };
  }

  /** False when everything that was to start is in back-off, so that the next sync would decide the same. */
  #perform(actions: PodActions): boolean {
    if (actions.killPod) {
      for (const { name } of this.#containers) this.exit(name, 143);
      this.#sandboxes = this.#sandboxes.map((sandbox) => ({ ...sandbox, ready: false }));
    }
    for (const { container } of actions.containersToKill) this.exit(container.name, 137);
    if (actions.createSandbox) this.#createSandbox(actions.attempt);
    if (actions.containersToKill.length > 0) return true;
    let changed = actions.killPod || actions.createSandbox;
    for (const container of [...actions.initContainersToStart, ...actions.containersToStart])
      changed = this.#start(container) || changed;
    return changed;
  }

  #createSandbox(attempt: number): void {
    const ready = { attempt, ready: true, createdAt: this.#now, ips: ['10.0.0.1'] };
    this.#sandboxes.unshift({ id: `sandbox-${attempt}`, ...ready, hostNetwork: false, runtimeHandler: '' });
  }

  #start({ name, image }: { readonly name: string; readonly image?: string }): boolean {
    const previous = this.#containers.find((container) => container.name === name);
    if (previous !== undefined) {
      const left = this.#backOff.remaining(name, previous.finishedAt, this.#now);
      if (left > 0) {
        this.#lines.push(`  ${name} backs off for another ${left / 1000}s`);
        this.#problems.set(name, { reason: 'CrashLoopBackOff', message: '' });
        return false;
      }
      this.#backOff.next(name, previous.finishedAt, this.#now);
    }
    this.#problems.delete(name);
    this.#probes.set(name, { liveness: 'success', readiness: 'failure', startup: 'unknown' });
    this.#containers.unshift({
      id: `${name}-${this.#ids++}`,
      name,
      sandboxId: this.#sandboxes[0]?.id ?? '',
      state: 'running',
      createdAt: this.#now,
      startedAt: this.#now,
      finishedAt: 0,
      exitCode: 0,
      reason: '',
      message: '',
      status: {},
      info: {
        hash: containerHash({ name, image }),
        restartCount: previous === undefined ? 0 : previous.info.restartCount + 1,
        terminationMessagePath: '',
        terminationMessagePolicy: '',
        preStop: undefined,
        terminationGracePeriodSeconds: undefined,
      },
    });
    return true;
  }

  #reportStatus(): void {
    const isRunning = this.#containers.some(({ state }) => state === 'running');
    const terminating = this.#pod.metadata.deletionTimestamp !== undefined;
    const status = podStatus({
      pod: this.#pod,
      observed: this.#observe(),
      runtimeName: 'containerd',
      problems: this.#problems,
      readiness: (id) => this.#result(id, 'readiness'),
      startup: (id) => this.#result(id, 'startup'),
      starting: new Set(),
      deviceHealth: () => [],
      terminating,
      stopped: !isRunning,
      now: this.#now,
      hostIPs: ['192.0.2.1'],
    });
    this.#pod = { ...this.#pod, status };
    this.#lines.push(`  status: ${describeStatus(status)}`);
  }
}

function describeActions(actions: PodActions): string {
  if (isNothingToDo(actions)) return 'nothing';
  return [
    ...(actions.killPod ? ['kill the pod'] : []),
    ...(actions.createSandbox ? [`create sandbox ${actions.attempt}`] : []),
    ...actions.containersToKill.map(({ container, message }) => `kill ${container.name} (${message})`),
    ...actions.initContainersToStart.map(({ name }) => `start init container ${name}`),
    ...actions.containersToStart.map(({ name }) => `start container ${name}`),
  ].join(', ');
}

function describeStatus({ phase, conditions, initContainerStatuses, containerStatuses }: PodStatus): string {
  const isReady = conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  const containers = [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])].map(
    ({ name, state, restartCount }) =>
      `${name} ${describeState(state)}${restartCount > 0 ? ` (restarts ${restartCount})` : ''}`,
  );
  return `${phase}, ${isReady ? 'ready' : 'not ready'}; ${containers.join('; ')}`;
}

function describeState({ waiting, running, terminated }: ContainerState = {}): string {
  if (running) return 'running';
  return terminated ? `exited with ${terminated.exitCode}` : `waiting: ${waiting?.reason}`;
}

const probe = { exec: { command: ['true'] } };

it('starts, becomes ready, crashes, backs off, fails its liveness probe and is deleted', () => {
  const story = new PodStory({
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: {
      restartPolicy: 'Always',
      initContainers: [
        { name: 'migrate', image: 'busybox' },
        { name: 'proxy', image: 'busybox', restartPolicy: 'Always', startupProbe: probe },
      ],
      containers: [{ name: 'main', image: 'busybox', readinessProbe: probe, livenessProbe: probe }],
    },
  });
  story
    .then(0, 'the pod is created')
    .then(2, 'migrate exits with 0', () => story.exit('migrate', 0))
    .then(1, 'the startup probe of proxy succeeds', () => story.probe('proxy', 'startup', 'success'))
    .then(1, 'the readiness probe of main succeeds', () => story.probe('main', 'readiness', 'success'))
    .then(10, 'main crashes', () => story.exit('main', 1))
    .then(5, 'main crashes again', () => story.exit('main', 1))
    .then(4, 'the kubelet looks too early')
    .then(6, 'the back-off of 10s is over')
    .then(30, 'the liveness probe of main fails', () => story.probe('main', 'liveness', 'failure'))
    .then(20, 'the back-off of 20s is over')
    .then(60, 'the pod is deleted', () => story.delete())
    .then(3, 'main exits on SIGTERM', () => story.exit('main', 143));
  expect(story.transcript).toMatchInlineSnapshot(`
    "0s the pod is created
      decides: create sandbox 0, start init container migrate
      decides: nothing
      status: Pending, not ready; migrate running; proxy waiting: PodInitializing; main waiting: PodInitializing
    2s migrate exits with 0
      decides: start init container proxy
      decides: nothing
      status: Pending, not ready; migrate exited with 0; proxy running; main waiting: PodInitializing
    3s the startup probe of proxy succeeds
      decides: start container main
      decides: nothing
      status: Running, not ready; migrate exited with 0; proxy running; main running
    4s the readiness probe of main succeeds
      decides: nothing
      status: Running, ready; migrate exited with 0; proxy running; main running
    14s main crashes
      decides: start container main
      decides: nothing
      status: Running, not ready; migrate exited with 0; proxy running; main running (restarts 1)
    19s main crashes again
      decides: start container main
      main backs off for another 10s
      status: Running, not ready; migrate exited with 0; proxy running; main waiting: CrashLoopBackOff (restarts 1)
    23s the kubelet looks too early
      decides: start container main
      main backs off for another 6s
      status: Running, not ready; migrate exited with 0; proxy running; main waiting: CrashLoopBackOff (restarts 1)
    29s the back-off of 10s is over
      decides: start container main
      decides: nothing
      status: Running, not ready; migrate exited with 0; proxy running; main running (restarts 2)
    59s the liveness probe of main fails
      decides: kill main (Container main failed liveness probe, will be restarted), start container main
      decides: start container main
      main backs off for another 20s
      status: Running, not ready; migrate exited with 0; proxy running; main waiting: CrashLoopBackOff (restarts 2)
    79s the back-off of 20s is over
      decides: start container main
      decides: nothing
      status: Running, not ready; migrate exited with 0; proxy running; main running (restarts 3)
    139s the pod is deleted
      decides: nothing
      status: Running, not ready; migrate exited with 0; proxy running; main running (restarts 3)
    142s main exits on SIGTERM
      decides: kill the pod
      decides: nothing
      status: Failed, not ready; migrate exited with 0; proxy exited with 143; main exited with 143 (restarts 3)"
  `);
});
