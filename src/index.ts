/**
 * The library: a whole cluster inside a program or a test.
 *
 *     const cluster = await Cluster.start();
 *     await cluster.apply(manifest);
 *     await cluster.waitFor('deployment/web', 'Available');
 *     await cluster.stop();
 */
import type { Pod } from './api/generated/core-v1.ts';
import { errorMessage, parseDuration } from './base/index.ts';
import { Client, ResourceFinder, type ApiObject } from './client/index.ts';
import {
  ADMIN,
  ClusterClock,
  ClusterSnapshot,
  Faults,
  OWN_CLIENT,
  applyManifests,
  startCluster,
  waitForObject,
  waitUntil,
} from './cluster/index.ts';
import type {
  Addon,
  ApplyOptions,
  Cluster as RunningCluster,
  ClusterOptions,
  Manifests,
  WaitCondition,
  WaitOptions,
  Waiting,
} from './cluster/index.ts';
import type { Fit, NodeTemplate, PodBehaviour, PodScript } from './cluster/index.ts';
import {
  clusterRevisionAt,
  followTrace,
  historyOf,
  pastTime,
  PastTransport,
  timeoutReport,
  why,
  type Answer,
  type FollowedTrace,
  type ObjectHistory,
} from './glass/index.ts';
import { createContext, SeededRandom, SpanRing, type CauseSource, type Context } from './kernel/index.ts';

export * from './client/index.ts';
export {
  accessText,
  answerText,
  connectionText,
  historyText,
  requestText,
  traceMermaid,
  traceOtlp,
  traceText,
  whyConnection,
  whyDenied,
  whyRequest,
} from './glass/index.ts';
export type {
  AccessAnswer,
  AccessQuestion,
  AdmissionCallOutcome,
  Answer,
  AuthorizerVerdict,
  Cause,
  ConnectionAnswer,
  ConnectionStep,
  Explanation,
  FieldChange,
  FollowedTrace,
  GrantedRule,
  NearestRule,
  ObjectHistory,
  PluginOutcome,
  RequestAnswer,
  RequestStage,
  Revision,
  Subject,
  Trace,
  TraceCounts,
  TraceNode,
  WhyConnectionOptions,
  WhyDeniedOptions,
  WhyRequestOptions,
} from './glass/index.ts';
export type { RecordedSpan } from './kernel/index.ts';
export { ADDONS, BEHAVIOUR_ANNOTATION, ClusterSnapshot, SIMULATED_LABEL } from './cluster/index.ts';
export type {
  Addon,
  ApplyOptions,
  Components,
  Fault,
  FaultOptions,
  Faults,
  Manifest,
  Manifests,
  RequestMatch,
  WaitCondition,
  WaitOptions,
} from './cluster/index.ts';
export type {
  Duration,
  ExecResult,
  NodeTemplate,
  PodBehaviour,
  PodScript,
  PodUsage,
  SimulatedPod,
} from './cluster/index.ts';

export interface ClusterStartOptions {
  /** How many simulated nodes; default 1. */
  readonly nodes?: number;
  /** What they have: capacity, labels, taints. */
  readonly node?: NodeTemplate | ((index: number) => NodeTemplate);
  /** Nodes that run containers; needs Linux and root. Default 0. */
  readonly realNodes?: number;
  /** As `--controllers`: `['*', '-cronjob']`; an empty list runs none. Default: all. */
  readonly controllers?: readonly string[];
  /** Whether the scheduler runs; default true. */
  readonly scheduler?: boolean;
  /** Default: `storage`. */
  readonly addons?: readonly Addon[];
  /** `virtual`: time moves only with `cluster.clock.advance` and while something is waited for. Default: the machine's clock. */
  readonly clock?: 'real' | 'virtual' | { readonly startTime: number | string };
  /** Starts as another cluster was. */
  readonly from?: ClusterSnapshot;
  /** The same seed gives the same names and uids; default: chance. */
  readonly seed?: number | string;
  /** Where the cluster lives and survives restarts; in memory without it. */
  readonly dataDirectory?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Default: loopback. */
  readonly bindAddress?: string;
  readonly serviceClusterIpRange?: string;
  readonly clusterCidr?: string;
  /** How long old revisions are kept, for `history` and `at`: milliseconds or `30m`; default one hour. */
  readonly history?: number | string;
  /** Whether the newest spans are kept in memory, for `trace`; default true. */
  readonly tracing?: boolean;
  /** As `--runtime-config`: `{ 'api/all': 'true' }` serves every version. Default: the stable ones. */
  readonly runtimeConfig?: Readonly<Record<string, string>>;
  /** As `--feature-gates` of the API server: `{ AllAlpha: 'true' }`. */
  readonly featureGates?: Readonly<Record<string, string>>;
  /** Takes log lines; default: none are written. */
  readonly log?: (line: string) => void;
}

export interface TraceOptions {
  /** How long to follow at most; default 60 s, on a virtual clock of virtual time. */
  readonly timeout?: number | string;
}

/** How a cluster on the machine's clock looks again. */
const LOOK_AGAIN_MS = 10;

interface ClusterParts {
  readonly running: RunningCluster;
  readonly options: ClusterStartOptions;
  readonly ctx: Context;
  readonly stopped: AbortController;
  readonly faults: Faults;
  readonly clock: ClusterClock | undefined;
}

export class Cluster {
  /** Cluster admin, in this process: no sockets, and the objects are the server's own, frozen. */
  readonly client: Client;
  readonly #finder: ResourceFinder;
  readonly #behaviours: PodBehaviour[] = [];
  /** Why a component has ended all. */
  #failure: unknown;
  readonly #parts: ClusterParts;
  /** The trace that is under way. */
  readonly #tracing: CauseSource = { span: 0 };

  private constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.client = parts.running.clientAs(ADMIN, OWN_CLIENT).causedBy(this.#tracing);
    this.#finder = new ResourceFinder(this.client);
    parts.running.finished.catch((error: unknown) => (this.#failure = error));
  }

  /** Resolves when the cluster can be used. */
  static start(options: ClusterStartOptions = {}): Promise<Cluster> {
    return Cluster.#start(options, virtualClock(options));
  }

  static async #start(
    options: ClusterStartOptions,
    clock: ClusterClock | undefined,
    state = options.from?.state,
  ): Promise<Cluster> {
    const stopped = new AbortController();
    const ctx = createContext({
      signal: stopped.signal,
      writeLog: options.log ?? (() => undefined),
      ...(options.tracing === false ? {} : { tracer: 'memory' }),
      ...(clock ? { clock } : {}),
      ...(options.seed === undefined ? {} : { random: new SeededRandom(options.seed) }),
    });
    const faults = new Faults(ctx.clock, ctx.random.fork('faults'));
    const started = startCluster(ctx, {
      ...clusterOptions(options),
      ...(state ? { from: state } : {}),
      intercept: (handle) => faults.intercept(clock ? clock.observe(handle) : handle),
    });
    try {
      const running = await (clock ? clock.during(started) : started);
      return new Cluster({ running, options, ctx, stopped, faults, clock });
    } catch (error) {
      stopped.abort(error);
      throw error;
    }
  }

  /** The API server's address. */
  get server(): string {
    return this.#parts.running.server;
  }

  /** A kubeconfig of a cluster admin, for kubectl and client libraries. */
  get kubeconfig(): string {
    return this.#parts.running.kubeconfig;
  }

  /** Failures to order. */
  get faults(): Faults & {
    kill(component: string): Promise<void>;
    restart(component: string): void;
    silenceNode(name: string, silent?: boolean): void;
  } {
    const { faults, running } = this.#parts;
    return Object.assign(faults, {
      /** Ends a component where it stands: `kube-scheduler`, `kube-controller-manager`. */
      kill: (component: string) => this.#await(running.components.stop(component)),
      restart: (component: string) => running.components.start(component),
      /** A simulated node says nothing any more, as if its machine had died. */
      silenceNode: (name: string, silent = true) => running.simulatedNodes.silence(name, silent),
    });
  }

  /** The cluster's time; it can be moved when the cluster was started with `clock: 'virtual'`. */
  get clock(): { now(): number; advance(duration: number | string): Promise<void> } {
    const { clock, ctx } = this.#parts;
    if (clock) return clock;
    const advance = (): Promise<void> =>
      Promise.reject(new Error("the cluster runs on the machine's clock; start it with clock: 'virtual' to move time"));
    return { now: () => ctx.clock.now(), advance };
  }

  /** The simulated nodes' names. */
  get nodes(): readonly string[] {
    return this.#parts.running.simulatedNodes.names;
  }

  /** More simulated nodes; resolves when the API has them. */
  addNodes(
    count: number,
    options: { prefix?: string; node?: NodeTemplate | ((index: number) => NodeTemplate) } = {},
  ): Promise<string[]> {
    const { prefix, node } = options;
    return this.#await(
      this.#parts.running.simulatedNodes.add({
        count,
        ...(prefix ? { prefix } : {}),
        ...(node ? { template: node } : {}),
      }),
    );
  }

  removeNode(name: string): Promise<void> {
    return this.#await(this.#parts.running.simulatedNodes.remove(name));
  }

  /** Applies YAML documents or objects, server-side; gives them as the server has them now. */
  apply(manifests: Manifests, options: ApplyOptions = {}): Promise<ApiObject[]> {
    return this.#await(applyManifests(this.client, this.#finder, manifests, options));
  }

  /**
   * Waits for an object (`deployment/web`) to meet a condition: a condition's name, `delete`, `jsonpath={.status.phase}=Running`
   * or a function; or for a function to give something. On a virtual clock time moves meanwhile.
   */
  waitFor<T extends ApiObject = ApiObject>(
    reference: string,
    condition: WaitCondition<T>,
    options?: WaitOptions,
  ): Promise<T>;
  waitFor<T>(look: () => T | Promise<T>, options?: WaitOptions): Promise<NonNullable<Exclude<T, false>>>;
  async waitFor(
    what: string | (() => unknown),
    condition?: WaitCondition<ApiObject> | WaitOptions,
    options: WaitOptions = {},
  ): Promise<unknown> {
    const waiting = this.#waiting();
    if (typeof what === 'function')
      return waitUntil(waiting, 'the function to give something', (condition as WaitOptions | undefined) ?? {}, what);
    return waitForObject(
      { client: this.client, finder: this.#finder, waiting },
      what,
      condition as WaitCondition<ApiObject>,
      options,
    );
  }

  /**
   * Tries an assertion until it does not throw, with any test runner. When time is up, its last error is thrown with what the
   * last write caused (of `about`, such as `deployment/web`, or of this cluster's client) and why the object is not as wanted.
   */
  async eventually<T>(
    assertion: () => T | Promise<T>,
    options: WaitOptions & { readonly about?: string } = {},
  ): Promise<T> {
    let last: unknown;
    const attempt = async (): Promise<{ value: T } | undefined> => {
      try {
        return { value: await assertion() };
      } catch (error) {
        last = error;
        return undefined;
      }
    };
    try {
      return (await waitUntil(this.#waiting(), 'the assertion to hold', options, attempt)).value;
    } catch (error) {
      if (last === undefined) throw error;
      const { tracer } = this.#parts.ctx;
      const report = timeoutReport({
        client: this.client,
        finder: this.#finder,
        spans: tracer instanceof SpanRing ? tracer.recorded() : [],
        user: ADMIN.name,
        namespace: options.namespace ?? 'default',
        ...(options.about === undefined ? {} : { about: options.about }),
        why: (reference, namespace) => this.why(reference, namespace === '' ? {} : { namespace }),
      });
      const text = await this.#await(report).catch((failure: unknown) => errorMessage(failure));
      throw new Error(`${errorMessage(last)}\n\n${errorMessage(error)}\n\n${text}`, { cause: last });
    }
  }

  /** A client in this process that acts as another user, to try what RBAC allows. */
  clientAs(user: string, groups: readonly string[] = []): Client {
    return this.#parts.running
      .clientAs({ name: user, groups: [...groups, 'system:authenticated'] }, 'k8ts')
      .causedBy(this.#tracing);
  }

  /** Explains why an object (`pod/web`) is not as its spec asks for; `answerText` prints it. */
  why(reference: string, options: { readonly namespace?: string } = {}): Promise<Answer> {
    const { running, ctx } = this.#parts;
    return this.#await(
      why(reference, {
        ...options,
        client: this.client,
        finder: this.#finder,
        now: () => ctx.clock.now(),
        schedulingDecision: (pod) => Promise.resolve(running.schedulingDecision(pod)),
      }),
    );
  }

  /**
   * Runs `work` and follows everything that its requests cause, until the cluster is quiet; `traceText` prints it. The
   * requests are those of `client`, `clientAs` and this cluster's methods. On a virtual clock time moves meanwhile.
   */
  async trace(work: () => Promise<unknown>, options: TraceOptions = {}): Promise<FollowedTrace> {
    const { ctx } = this.#parts;
    const { tracer } = ctx;
    if (!(tracer instanceof SpanRing)) throw new Error('the cluster was started with tracing: false');
    if (this.#tracing.span !== 0) throw new Error('another trace of this cluster is under way');
    const span = tracer.start('trace');
    this.#tracing.span = span.id;
    try {
      await work();
    } finally {
      this.#tracing.span = 0;
      tracer.end(span);
    }
    const { timeout } = options;
    return followTrace({
      spans: (since) => tracer.recorded(since),
      root: span.id,
      client: this.client,
      now: () => ctx.clock.now(),
      pause: () => this.#waiting().pause(),
      ...(timeout === undefined ? {} : { timeoutMs: milliseconds(timeout) }),
    });
  }

  /** The revisions of an object (`deployment/web`) that are kept: who changed what, and when; `historyText` prints it. */
  async history(
    reference: string,
    options: { readonly namespace?: string; readonly limit?: number } = {},
  ): Promise<ObjectHistory> {
    const [kind = '', name, ...rest] = reference.split('/');
    if (name === undefined || rest.length > 0)
      throw new Error(
        `${JSON.stringify(reference)} does not name an object: it is resource/name, such as deployment/web`,
      );
    const { tracer } = this.#parts.ctx;
    const resource = await this.#await(this.#finder.byName(kind));
    const spans = tracer instanceof SpanRing ? tracer.recorded() : [];
    return this.#await(historyOf({ namespace: 'default', ...options, client: this.client, resource, name, spans }));
  }

  /** Whether a pod would be scheduled now, and what each plugin says about each node; nothing is created. */
  async wouldFit(pod: Pod): Promise<Fit> {
    const { namespace = 'default', name = 'hypothetical' } = pod.metadata ?? {};
    const complete: Pod = { ...pod, metadata: { ...pod.metadata, name, namespace } };
    // A dry run sets defaults, as the scheduler expects them.
    const admitted = await this.#await(this.client.resource('v1/pods').create(complete, { dryRun: true }));
    const fit = this.#parts.running.wouldFit(admitted);
    if (!fit) throw new Error('the cluster runs no scheduler');
    return fit;
  }

  /** A client of the cluster as it was at a revision: it reads, and refuses everything else. */
  at(revision: number): Client {
    return new Client({ transport: new PastTransport(this.client, revision), clock: this.#parts.ctx.clock });
  }

  /** From now on pods of simulated nodes behave so. The result takes it back. */
  simulate({ pod }: { pod: PodBehaviour | PodScript }): () => void {
    const behaviour: PodBehaviour = typeof pod === 'function' ? pod : () => pod;
    this.#behaviours.push(behaviour);
    const undo = this.#parts.running.simulatedNodes.simulate(behaviour);
    return () => {
      this.#behaviours.splice(this.#behaviours.indexOf(behaviour), 1);
      undo();
    };
  }

  /** Everything as it is now, to start other clusters from. Only of a cluster in memory. */
  snapshot(): ClusterSnapshot {
    return ClusterSnapshot.of(this.#parts.running.store, this.#parts.running.pki, this.#parts.ctx.clock.now());
  }

  /**
   * A second cluster that goes its own way from here on, or from an earlier state: `at` is a duration ago (`5m`), a time, or a
   * revision. Only of a cluster in memory.
   */
  async fork({ at }: { readonly at?: string | number | Date } = {}): Promise<Cluster> {
    const { options, clock } = this.#parts;
    const { port: _, from: __, ...rest } = options;
    const now = this.snapshot();
    const past = at === undefined ? undefined : this.#pastOf(at);
    const { state } = past ? now.at(past.revision, past.time) : now;
    const forkClock = past && clock ? new ClusterClock({ startTime: past.time }) : clock?.fork();
    const fork = await Cluster.#start({ ...rest, nodes: 0 }, forkClock, state);
    for (const behaviour of this.#behaviours) fork.simulate({ pod: behaviour });
    return fork;
  }

  /** A revision, and about when it was the newest one. */
  #pastOf(at: string | number | Date): { revision: number; time: number } {
    const { tracer, clock } = this.#parts.ctx;
    const spans = tracer instanceof SpanRing ? tracer.recorded() : [];
    if (typeof at === 'number') {
      const commit = spans.find((span) => span.attributes['etcd.revision'] === at);
      return { revision: at, time: commit?.endedAt ?? clock.now() };
    }
    const time = at instanceof Date ? at.getTime() : pastTime(at, clock.now());
    const revision = clusterRevisionAt(spans, time);
    if (revision === undefined) throw new Error('no write of that time is recorded: fork at a revision instead');
    return { revision, time };
  }

  /** Ends everything; resolves when it has. */
  async stop(): Promise<void> {
    this.#parts.stopped.abort(new Error('the cluster was stopped'));
    await this.#await(this.#parts.running.finished);
  }

  #waiting(): Waiting {
    const { clock, ctx, stopped } = this.#parts;
    return {
      now: () => ctx.clock.monotonic(),
      pause: () => {
        if (this.#failure) return Promise.reject(new Error('the cluster has ended', { cause: this.#failure }));
        if (stopped.signal.aborted) return Promise.reject(new Error('the cluster was stopped'));
        return clock ? clock.nudge() : ctx.clock.sleep(LOOK_AGAIN_MS);
      },
    };
  }

  /** What takes time on a virtual clock moves it. */
  #await<T>(work: Promise<T>): Promise<T> {
    return this.#parts.clock ? this.#parts.clock.during(work) : work;
  }
}

const milliseconds = (duration: number | string): number =>
  typeof duration === 'number' ? duration : parseDuration(duration);

function virtualClock({ clock = 'real', from }: ClusterStartOptions): ClusterClock | undefined {
  if (clock === 'real') return undefined;
  if (clock === 'virtual') return new ClusterClock(from ? { startTime: from.time } : {});
  return new ClusterClock({
    startTime: typeof clock.startTime === 'number' ? clock.startTime : Date.parse(clock.startTime),
  });
}

function clusterOptions(options: ClusterStartOptions): ClusterOptions {
  return {
    ...(options.dataDirectory ? { dataDirectory: options.dataDirectory } : {}),
    bindAddress: options.bindAddress ?? '127.0.0.1',
    port: options.port ?? 0,
    serviceClusterIpRange: options.serviceClusterIpRange ?? '10.96.0.0/16',
    clusterCidr: options.clusterCidr ?? '10.244.0.0/16',
    ...(options.history === undefined ? {} : { historyMs: milliseconds(options.history) }),
    controllers: options.controllers ?? ['*'],
    ...(options.scheduler === undefined ? {} : { scheduler: options.scheduler }),
    signingKey: 'ec',
    addons: options.addons ?? ['storage'],
    simulatedNodes: options.nodes ?? 1,
    ...(options.runtimeConfig ? { runtimeConfig: options.runtimeConfig } : {}),
    ...(options.featureGates ? { featureGates: options.featureGates } : {}),
    ...(options.realNodes ? { nodes: options.realNodes } : {}),
    ...(options.node ? { nodeTemplate: options.node } : {}),
  };
}
