/**
 * One world from its start to its verdict: it comes up, its clients work while faults strike, then faults end and it must
 * come to rest in the state that its specs ask for. The first check that fails ends it.
 */
import { errorMessage } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import { RealClock, silentLogger, type Logger } from '../kernel/index.ts';
import { checks, type Check, type CheckContext, type Verdict } from './checks/index.ts';
import { faults, type FaultName, type Stage } from './faults/index.ts';
import { watchMachineUse } from './machine-use.ts';
import { operations, type Operation } from './operations/index.ts';
import type { Plan, Planned, PlannedFault, PlannedOperation, Work } from './plan.ts';
import type { Exchange } from './world/network.ts';
import { widgetDefinition } from './world/operator.ts';
import { createOrigin } from './world/origin.ts';
import type { ProcessContext } from './world/processes.ts';
import type { Change } from './world/store-log.ts';
import { World, type Origin } from './world/world.ts';

export interface Violation {
  /** The name of the check. */
  readonly check: string;
  readonly because: string;
  readonly message: string;
  /** Milliseconds after the world was ready. */
  readonly at: number;
}

export interface WorldResult {
  readonly plan: Plan;
  readonly violation: Violation | undefined;
  /** How often each check had something to look at. */
  readonly looked: Readonly<Record<string, number>>;
  /** How often each fault struck something. */
  readonly struck: Readonly<Partial<Record<FaultName, number>>>;
  readonly done: Readonly<Record<string, number>>;
  /** What happened, a line each; only with `trace`. */
  readonly trace: readonly string[];
  readonly commits: number;
  /** Of virtual time. */
  readonly durationMs: number;
}

export interface RunOptions {
  /** Records every request, commit and fault. */
  readonly trace?: boolean;
  readonly logger?: Logger;
  /** Fails a world that uses a file, a process, a socket or a timer of the machine: its seed may take other steps in another run. */
  readonly strict?: boolean;
  /**
   * Runs instead of the built-in operator, in two processes, each of which is killed, cut off and started again as the
   * others are: it must elect a leader, or be able to work beside itself. Ends when `ctx.signal` aborts.
   */
  readonly operator?: Operator;
  /**
   * Runs instead, with a client of its own for the API server that the kubeconfig names. Time is the machine's then: worlds
   * take longer, and two runs of a seed may differ.
   */
  readonly operatorOverHttp?: OperatorOverHttp;
  /** How many seconds of the world pass in one of the machine's, with `operatorOverHttp`; default 5. */
  readonly speed?: number;
  /** CustomResourceDefinitions that worlds begin with, besides the built-in operator's. */
  readonly crds?: readonly object[];
  /** What clients do besides the built-in operations that `world.kinds` names. */
  readonly work?: Work;
  /** Hold besides the built-in checks. */
  readonly invariants?: Readonly<Record<string, Check>>;
}

export type Operator = (client: Client, ctx: ProcessContext) => Promise<void>;
export type OperatorOverHttp = (kubeconfig: string, ctx: ProcessContext) => Promise<void>;

interface NamedCheck {
  readonly name: string;
  readonly check: Check;
  readonly context: CheckContext;
}

const READY_LIMIT_MS = 120_000;
/** How long convergence may take when faults have ended: failed pods and crashed processes wait up to five minutes. */
const SETTLE_LIMIT_MS = 900_000;
const LOOK_AGAIN_MS = 5_000;
/** At rest nothing but heartbeats is written for so long. */
const REST_MS = 45_000;
const HEARTBEATS = new Set(['Lease', 'Event']);
/** Worlds of some minutes take some hundred writes. */
const MAX_COMMITS = 3_000;
const MAX_COMMITS_PER_SECOND = 10;
const WORK = 'components do not undo and repeat the same work for ever';
const AT_REST = 'a cluster that has converged writes heartbeats only';

/** Worlds with the same definitions begin with the same store. */
const origins = new Map<string, Promise<Origin>>();

function originWith(crds: readonly object[]): Promise<Origin> {
  const key = JSON.stringify(crds);
  const known = origins.get(key) ?? createOrigin([widgetDefinition, ...crds]);
  origins.set(key, known);
  return known;
}

export async function runWorld(plan: Plan, options: RunOptions = {}): Promise<WorldResult> {
  const origin = await originWith(options.crds ?? []);
  const run = new WorldRun(plan, origin, options);
  if (!options.strict) return run.run();
  const stopWatching = watchMachineUse((use) => run.usedMachine(use));
  return run.run().finally(stopWatching);
}

class WorldRun {
  readonly #plan: Plan;
  readonly #work: Work;
  readonly #world: World;
  readonly #checks: readonly NamedCheck[];
  readonly #onCommit: readonly NamedCheck[];
  readonly #onAnswer: readonly NamedCheck[];
  readonly #onHearing: readonly NamedCheck[];
  readonly #looked: Record<string, number> = {};
  readonly #struck: Partial<Record<FaultName, number>> = {};
  readonly #done: Record<string, number> = {};
  readonly #trace: string[] = [];
  readonly #lifts = new Set<() => void>();
  readonly #tracing: boolean;
  /** Undefined where time is virtual. */
  readonly #speed: number | undefined;
  #violation: Violation | undefined;
  #readyAt = 0;
  #faults = 0;
  /** When the last fault was taken back, or struck where nothing is taken back. */
  #calmSince = 0;
  #commits = 0;
  readonly #maxCommits: number;
  /** The newest write that is no heartbeat. */
  #wroteAt = 0;
  #lastWrite = '';
  /** What clients were told, until the log has what they speak of. */
  #unchecked: (() => void)[] = [];

  constructor(plan: Plan, origin: Origin, options: RunOptions) {
    this.#plan = plan;
    this.#maxCommits = MAX_COMMITS + (plan.durationMs / 1000) * MAX_COMMITS_PER_SECOND;
    this.#work = { ...operations, ...options.work } satisfies Record<string, Operation>;
    this.#tracing = options.trace ?? false;
    this.#speed = options.operatorOverHttp ? (options.speed ?? DEFAULT_SPEED) : undefined;
    this.#world = new World({
      origin,
      seed: plan.seed,
      nodes: plan.nodes,
      logger: options.logger ?? silentLogger,
      ...(options.operator ? { operator: options.operator } : {}),
      ...(options.operatorOverHttp ? { operatorOverHttp: options.operatorOverHttp } : {}),
      observer: {
        committed: (change) => this.#committed(change),
        exchanged: (exchange) => this.#exchanged(exchange),
        watchOpened: (watch) => this.#watchOpened(watch),
        crashed: (process, error) =>
          this.#violated(
            'processes-do-not-crash',
            'a process ends only when it is killed',
            `${process}: ${errorMessage(error)}`,
          ),
      },
    });
    const { log, clock, processes, webhook, proxy } = this.#world;
    const calmSince = (): number => (this.#lifts.size > 0 ? Infinity : this.#calmSince);
    this.#checks = Object.entries<Check>({ ...checks, ...options.invariants }).map(([name, check]) => ({
      name,
      check,
      context: { log, clock, processes, webhook, proxy, calmSince, looked: () => this.#count(name) },
    }));
    this.#onCommit = this.#checks.filter(({ check }) => check.committed);
    this.#onAnswer = this.#checks.filter(({ check }) => check.answered);
    this.#onHearing = this.#checks.filter(({ check }) => check.heard);
  }

  async run(): Promise<WorldResult> {
    const world = this.#world;
    await world.start();
    await this.#until(() => this.#isReady(), READY_LIMIT_MS, 'the world has not come up');
    this.#readyAt = world.clock.monotonic();
    for (const planned of this.#plan.events) world.clock.after(planned.at, () => this.#perform(planned));
    await this.#advance(this.#plan.durationMs);
    await this.#settle();
    const durationMs = world.clock.monotonic() - this.#readyAt;
    const commits = world.log.changes;
    const running = await world.stop();
    if (running.length > 0)
      this.#violated('processes-end', 'what is stopped leaves nothing behind', `still running: ${running.join(', ')}`);
    return {
      plan: this.#plan,
      violation: this.#violation,
      looked: this.#looked,
      struck: this.#struck,
      done: this.#done,
      trace: this.#trace,
      commits,
      durationMs,
    };
  }

  usedMachine(use: string): void {
    this.#violated('worlds-use-no-machine', 'the same seed takes the same steps, on every machine', use);
  }

  #isReady(): boolean {
    const { log } = this.#world;
    const nodes = log.objects('Node') as readonly {
      metadata: object;
      status?: { conditions?: { type: string; status: string }[] };
    }[];
    const ready = nodes.filter(({ status }) =>
      status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    );
    return (
      this.#world.isUp &&
      ready.length === this.#plan.nodes &&
      log.object('ServiceAccount', 'default/default') !== undefined
    );
  }

  #perform(planned: Planned): void {
    if (this.#violation) return;
    if (planned.type === 'fault') this.#strike(planned);
    else this.#operate(planned);
  }

  #operate({ name, client, arguments: args }: PlannedOperation): void {
    this.#done[name] = (this.#done[name] ?? 0) + 1;
    const work = this.#work[name]!.run(this.#world.clientOf(client), args);
    work.then(
      () => this.#note(() => `client-${client} ${name} done`),
      (error: unknown) => this.#note(() => `client-${client} ${name} failed: ${errorMessage(error)}`),
    );
  }

  #strike({ name, target, durationMs, strength }: PlannedFault): void {
    const lift = faults[name].strike(this.#stage(), { target, strength });
    if (lift === null) return;
    this.#struck[name] = (this.#struck[name] ?? 0) + 1;
    this.#note(() => `fault ${name} on ${target}`);
    this.#calmSince = this.#world.clock.monotonic();
    if (!lift) return;
    const once = (): void => {
      if (!this.#lifts.delete(once)) return;
      this.#note(() => `fault ${name} on ${target} ends`);
      this.#calmSince = this.#world.clock.monotonic();
      lift();
    };
    this.#lifts.add(once);
    this.#world.clock.after(durationMs, once);
  }

  #stage(): Stage {
    const { random, ...stage } = this.#world;
    return { ...stage, random: random.fork(`fault ${this.#faults++}`) };
  }

  /**
   * Faults have ended: within bounded time everything must become as the specs ask for, and nothing but heartbeats may be
   * written any more.
   */
  async #settle(): Promise<void> {
    const { clock } = this.#world;
    for (const lift of [...this.#lifts]) lift();
    this.#world.startAll();
    await this.#suspendCronJobs();
    const limit = clock.monotonic() + SETTLE_LIMIT_MS;
    this.#wroteAt = clock.monotonic();
    let judgedAt = NaN;
    let wrong: [string, string, string] | undefined;
    for (;;) {
      await this.#advance(LOOK_AGAIN_MS);
      if (this.#violation) return;
      const isLate = clock.monotonic() > limit;
      const isAtRest = clock.monotonic() - this.#wroteAt >= REST_MS;
      // What was right stays so until something is written.
      if (wrong || this.#wroteAt !== judgedAt || isLate || isAtRest) wrong = this.#firstUnsettled();
      judgedAt = this.#wroteAt;
      if (wrong && isLate) return this.#violated(...wrong);
      if (wrong) continue;
      if (isAtRest) return this.#count('nothing-is-written-at-rest');
      if (isLate) return this.#violated('nothing-is-written-at-rest', AT_REST, `still written: ${this.#lastWrite}`);
    }
  }

  /** A schedule has work to do for ever. */
  async #suspendCronJobs(): Promise<void> {
    const { clock, bystander, log } = this.#world;
    await this.#until(() => this.#world.isUp, READY_LIMIT_MS, 'the API servers have not come back');
    const suspended = log.objects('CronJob').map(({ metadata: { namespace = '', name = '' } }) =>
      bystander
        .resource('batch/v1/cronjobs')
        .patch({ namespace, name }, { spec: { suspend: true } }, { type: 'merge' })
        .catch(() => undefined),
    );
    await clock.drive(Promise.all(suspended));
  }

  #firstUnsettled(): [string, string, string] | undefined {
    for (const { name, check, context } of this.#checks) {
      const message = check.settled?.(context);
      if (message !== undefined) return [name, check.because, message];
    }
    return undefined;
  }

  async #until(condition: () => boolean, limitMs: number, otherwise: string): Promise<void> {
    const { clock } = this.#world;
    const limit = clock.monotonic() + limitMs;
    while (!condition() && !this.#violation) {
      if (clock.monotonic() > limit)
        return this.#violated('worlds-come-up', 'a cluster starts in bounded time', otherwise);
      await this.#advance(1_000);
    }
  }

  async #advance(ms: number): Promise<void> {
    const { clock } = this.#world;
    const end = clock.monotonic() + ms;
    while (!this.#violation && clock.monotonic() < end) {
      const ms = Math.min(STEP_MS, end - clock.monotonic());
      if (this.#speed !== undefined) await machineClock.sleep(ms / this.#speed);
      await clock.advance(ms);
      this.#checkAnswers();
    }
  }

  #committed(change: Change): void {
    this.#note(() => `commit ${change.revision} ${change.kind} ${change.id}${change.after ? '' : ' deleted'}`);
    if (++this.#commits > this.#maxCommits)
      this.#violated('work-is-bounded', WORK, `${this.#commits} writes, the last of ${change.kind} ${change.id}`);
    for (const named of this.#onCommit) this.#judge(named, named.check.committed!(change, named.context));
    if (HEARTBEATS.has(change.kind) || isHeartbeat(change)) return;
    this.#wroteAt = this.#world.clock.monotonic();
    this.#lastWrite = `${change.kind} ${change.id}`;
  }

  #exchanged(exchange: Exchange): void {
    const { process, server, request, status } = exchange;
    this.#note(() => `${process} > ${server} ${request.method} ${request.path} ${status ?? 'no answer'}`);
    for (const { check, context } of this.#onHearing) check.heard!(exchange, context);
    this.#unchecked.push(() => {
      for (const named of this.#onAnswer) this.#judge(named, named.check.answered!(exchange, named.context));
    });
  }

  #watchOpened(watch: Parameters<NonNullable<Check['watched']>>[0]): { event(event: never): void } | undefined {
    const opened = this.#checks.flatMap((named) => {
      const watched = named.check.watched?.(watch, named.context);
      return watched ? [{ named, watched }] : [];
    });
    if (opened.length === 0) return undefined;
    return {
      event: (event) => {
        for (const { named, watched } of opened) this.#unchecked.push(() => this.#judge(named, watched.event(event)));
      },
    };
  }

  /** Time has moved: the log has everything that answers and events speak of. */
  #checkAnswers(): void {
    const unchecked = this.#unchecked;
    this.#unchecked = [];
    for (const check of unchecked) check();
  }

  #judge({ name, check }: NamedCheck, message: Verdict): void {
    if (message !== undefined) this.#violated(name, check.because, message);
  }

  #count(check: string): void {
    this.#looked[check] = (this.#looked[check] ?? 0) + 1;
  }

  #violated(check: string, because: string, message: string): void {
    if (this.#violation) return;
    const at = this.#world.clock.monotonic() - this.#readyAt;
    this.#violation = { check, because, message, at };
    this.#note(() => `VIOLATION ${check}: ${message}`);
  }

  #note(line: () => string): void {
    if (!this.#tracing) return;
    const at = (this.#world.clock.monotonic() - this.#readyAt) / 1000;
    this.#trace.push(`${at.toFixed(3)} ${line()}`);
  }
}

const STEP_MS = 250;
const DEFAULT_SPEED = 5;
const machineClock = new RealClock();

/** The status that a kubelet reports every five minutes. */
function isHeartbeat({ kind, before, after }: Change): boolean {
  if (kind !== 'Node' || !before || !after) return false;
  const without = (object: object): string =>
    JSON.stringify(object, (key, value: unknown) =>
      key === 'lastHeartbeatTime' || key === 'resourceVersion' || key === 'managedFields' ? undefined : value,
    );
  return without(before) === without(after);
}
