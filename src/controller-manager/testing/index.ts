/**
 * Controllers against the real API server, in memory and on the virtual clock: what their tests are made of. A manager
 * can be killed at any of its writes, before or after the server has done it, and be started again. Each controller acts
 * as its own ServiceAccount, and a fixture in which one was refused something does not stop without an error.
 */
import type { ApiRequest, ApiResponse, UserInfo } from '../../apiserver/request/request.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../apiserver/testing/index.ts';
import {
  Client,
  TransportError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../client/index.ts';
import { inProcessTransport } from '../../cluster/in-process-transport.ts';
import { childContext, RealClock, type Clock, type Random, type VirtualClock } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import { DEFAULT_CONFIG, type ControllerManagerConfig } from '../config.ts';
import { run } from '../run.ts';
import { serviceAccountOf } from '../service-account-names.ts';

const realTime = new RealClock();
const SHORTEST_STEP_MS = 50;
/** What takes days is not looked at twenty times a second. */
const MOST_STEPS = 12_000;
/** What does not come to a write in this time has nothing to do, or waits for something. */
const FIRST_WRITES_MS = 2_000;
/** Of the time that has passed. */
const GROWTH = 0.1;
/** Each a millisecond or more. */
const MOST_REAL_WAITS = 1_000;
const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const MANAGER = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] };
/** The authorizers' words; admission plugins such as ResourceQuota refuse with 403 as well. */
const UNAUTHORIZED = /User \\?"[^"]*" cannot /;

interface FixtureOptions {
  /** As `--controllers`. */
  readonly controllers: readonly string[];
  readonly config?: Partial<ControllerManagerConfig>;
  /** Of the API server. */
  readonly server?: TestServerOptions;
  /** Events are written when there is time, and nobody waits for them: they do not count as writes without this. */
  readonly countsEvents?: true;
}

interface Write {
  readonly method: string;
  readonly path: string;
}

interface KillPoint {
  /** Which of the manager's writes, counted from 0. */
  readonly write: number;
  readonly when: 'before' | 'after';
}

/** Part of the writes fail, and of these half have been done nonetheless. */
interface Faults {
  readonly rate: number;
  readonly random: Random;
}

/** Some writes are refused with a conflict although nobody has changed the object: no event will follow. */
interface BareConflicts {
  /** Whether this write is one of them; asked once for each. */
  readonly refuses: (write: Write) => boolean;
}

/** Caches lag behind: events of watches come late, though in their order. */
interface Staleness {
  readonly lateByMs: number;
  readonly random: Random;
}

export type Trouble = KillPoint | Faults | BareConflicts | Staleness;

export interface ControllerFixture {
  readonly server: TestServer;
  readonly clock: VirtualClock;
  /** A client of the test's own, as cluster admin. */
  readonly client: Client;
  /** What the controllers have written since the last start. */
  readonly writes: readonly Write[];
  /** Whether the kill point of the last start was reached. */
  readonly killed: boolean;
  start(trouble?: Trouble): Promise<void>;
  /** Another manager beside the one that runs, as if both led; it ends with that one, and what it writes counts too. */
  startBeside(): Promise<void>;
  stopControllers(): Promise<void>;
  /** Moves time on. */
  advance(ms: number): Promise<void>;
  /** Moves time on until the condition holds; fails after `limitMs` of virtual time. */
  until(what: string, condition: () => Promise<boolean>, limitMs?: number): Promise<void>;
  /** The same for what stays as it is once it is there: the longer it takes, the more rarely it is looked at. */
  eventually(what: string, condition: () => Promise<boolean>, limitMs?: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startFixture(options: FixtureOptions): Promise<ControllerFixture> {
  const server = await startTestServer(options.server);
  const { ctx } = server;
  const refusals = new Set<string>();
  const handle = noting(refusals, server.pipeline.handle);
  const transports = new Map<string, Transport>();
  const transportAs = (user: UserInfo): Transport => {
    const known = transports.get(user.name);
    if (known) return known;
    const transport = inProcessTransport({ handle, user, signal: ctx.signal });
    transports.set(user.name, transport);
    return transport;
  };
  const client = new Client({ transport: transportAs(ADMIN), clock: ctx.clock, userAgent: 'test' });
  const config: ControllerManagerConfig = {
    ...DEFAULT_CONFIG,
    leaderElect: false,
    ...options.config,
    controllers: options.controllers,
  };
  let manager: { stop: AbortController; running: Promise<unknown>; recording: Recording } | undefined;
  const runManager = (stop: AbortController, recording: Recording): Promise<void> => {
    const inner = childContext(ctx, 'kube-controller-manager', AbortSignal.any([ctx.signal, stop.signal]));
    const clientAs = (user: UserInfo): Client =>
      new Client({
        transport: new RecordingTransport(transportAs(user), recording),
        clock: ctx.clock,
        userAgent: 'kube-controller-manager',
      });
    return run(inner, {
      client: clientAs(MANAGER),
      clientFor: (controller) => clientAs(userOf(controller)),
      config,
      identity: 'test',
    }).catch(() => {});
  };

  const stopControllers = async (): Promise<void> => {
    if (!manager) return;
    manager.stop.abort(new Error('controllers stopped'));
    let ended = false;
    const running = manager.running.finally(() => (ended = true));
    /** Work outside the event loop, such as signing, takes real time. */
    for (let tries = 0; !ended && tries < MOST_REAL_WAITS; tries++) {
      await ctx.clock.advance(1);
      await realTime.sleep(0);
    }
    await ctx.clock.drive(running);
    manager = undefined;
  };

  const details = (): string => ctx.logLines.slice(-10).join('\n');

  const fixture: ControllerFixture = {
    server,
    clock: ctx.clock,
    client,
    get writes() {
      return manager?.recording.writes ?? [];
    },
    get killed() {
      return manager?.recording.killed ?? false;
    },
    async start(trouble) {
      await stopControllers();
      const stop = new AbortController();
      const recording = new Recording({
        trouble,
        clock: ctx.clock,
        countsEvents: options.countsEvents ?? false,
        onKill: () => stop.abort(new Error('killed')),
      });
      manager = { stop, running: runManager(stop, recording), recording };
      await ctx.clock.advance(1);
    },
    async startBeside() {
      if (!manager) throw new Error('there is no manager to start one beside');
      manager.running = Promise.all([manager.running, runManager(manager.stop, manager.recording)]);
      await ctx.clock.advance(1);
    },
    stopControllers,
    async advance(ms) {
      await ctx.clock.advance(ms);
    },
    until: (what, condition, limitMs = 60_000) =>
      until(what, condition, {
        clock: ctx.clock,
        limitMs,
        intervalMs: Math.max(SHORTEST_STEP_MS, limitMs / MOST_STEPS),
        details,
      }),
    eventually: (what, condition, limitMs = 60_000) =>
      until(what, condition, {
        clock: ctx.clock,
        limitMs,
        intervalMs: (passedMs) => Math.max(SHORTEST_STEP_MS, passedMs * GROWTH),
        details,
      }),
    async stop() {
      await stopControllers();
      await server.stop();
      if (refusals.size > 0)
        throw new Error(`controllers were refused what they asked for:\n${[...refusals].join('\n')}`);
    },
  };
  return fixture;
}

function userOf(controller: string): UserInfo {
  const account = serviceAccountOf(controller);
  if (account === undefined) return MANAGER;
  return {
    name: `system:serviceaccount:kube-system:${account}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  };
}

/** Notes what authorizers refuse. */
function noting(refusals: Set<string>, handle: (request: ApiRequest) => Promise<ApiResponse>): typeof handle {
  return async (request) => {
    const response = await handle(request);
    const text = response.status === 403 ? String(response.body) : '';
    if (UNAUTHORIZED.test(text)) refusals.add((JSON.parse(text) as { message: string }).message);
    return response;
  };
}

export interface KillScenario {
  readonly fixture: ControllerFixture;
  /** Makes what the controllers shall work on, under a name of its own. */
  arrange(name: string): Promise<void>;
  /** Whether the end state is reached. */
  converged(name: string): Promise<boolean>;
  clear?(name: string): Promise<void>;
  readonly limitMs?: number;
}

/**
 * Runs the scenario once for every write of the controllers, killing them before and after it, and once undisturbed:
 * each time the end state must be reached after a restart. Gives the number of kills.
 */
export async function convergesWhenKilledAtEveryWrite(scenario: KillScenario): Promise<number> {
  let kills = 0;
  for (const when of ['before', 'after'] as const) {
    for (let write = 0; await convergesWhenKilled(scenario, { write, when }); write++) kills++;
  }
  return kills;
}

/** The same for one of the writes. Gives whether there was one. */
export async function convergesWhenKilled(
  { fixture, limitMs, ...scenario }: KillScenario,
  { write, when }: KillPoint,
): Promise<boolean> {
  const name = `kill-${when}-${write}`;
  await fixture.stopControllers();
  await scenario.arrange(name);
  await fixture.start({ write, when });
  let killed = false;
  const restartWhenKilled = async (): Promise<void> => {
    if (!fixture.killed) return;
    killed = true;
    await fixture.start();
  };
  /** In small steps: what takes many turns of the event loop would not come to its writes in a large one. */
  for (let passed = 0; passed < FIRST_WRITES_MS && !fixture.killed; passed += SHORTEST_STEP_MS)
    await fixture.advance(SHORTEST_STEP_MS);
  await restartWhenKilled();
  const converged = async (): Promise<boolean> => {
    await restartWhenKilled();
    return scenario.converged(name);
  };
  await fixture.eventually(`killed ${when} write ${write}`, converged, limitMs);
  await fixture.stopControllers();
  await scenario.clear?.(name);
  return killed;
}

/** What the clients of one manager have written, and the trouble that they get into. */
class Recording {
  readonly writes: Write[] = [];
  killed = false;

  constructor(
    readonly options: {
      readonly trouble: Trouble | undefined;
      readonly clock: Clock;
      readonly countsEvents: boolean;
      readonly onKill: () => void;
    },
  ) {}
}

class RecordingTransport implements Transport {
  constructor(
    private readonly inner: Transport,
    private readonly recording: Recording,
  ) {}

  async request(request: TransportRequest): ReturnType<Transport['request']> {
    if (this.recording.killed) throw new TransportError('closed', 'the client was killed');
    const { trouble, countsEvents } = this.recording.options;
    const isEvent = /\/events(\/|$)/.test(request.path);
    if (request.method === 'GET' || (isEvent && !countsEvents)) return this.inner.request(request);
    const write: Write = { method: request.method, path: request.path };
    const index = this.recording.writes.push(write) - 1;
    /** An event that the server refuses is not written again: that is no fault of the controller's. */
    if (trouble && 'rate' in trouble && !isEvent) return this.#faulty(request, trouble);
    if (trouble && 'refuses' in trouble && !isEvent)
      return trouble.refuses(write) ? injectedConflict() : this.inner.request(request);
    if (!trouble || !('write' in trouble) || index !== trouble.write) return this.inner.request(request);
    if (trouble.when === 'after') await this.inner.request(request);
    this.recording.killed = true;
    this.recording.options.onKill();
    throw new TransportError('closed', 'the client was killed');
  }

  async #faulty(request: TransportRequest, { rate, random }: Faults): ReturnType<Transport['request']> {
    if (random.next() >= rate) return this.inner.request(request);
    if (random.next() < 0.5) await this.inner.request(request);
    if (random.next() < 0.5) throw new TransportError('connection-lost', 'the connection was lost');
    return injectedConflict();
  }

  async watch(request: TransportRequest): ReturnType<Transport['watch']> {
    const events = await this.inner.watch(request);
    const { trouble, clock } = this.recording.options;
    return trouble && 'lateByMs' in trouble ? late(events, trouble, (ms) => clock.sleep(ms, request.signal)) : events;
  }

  stream(request: TransportRequest): ReturnType<Transport['stream']> {
    return this.inner.stream(request);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const injectedConflict = (): TransportResponse => ({
  status: 409,
  headers: {},
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: 409,
    reason: 'Conflict',
    message: 'an injected conflict',
  },
});

async function* late<T>(
  events: AsyncIterable<T>,
  { lateByMs, random }: Staleness,
  sleep: (ms: number) => Promise<void>,
): AsyncIterable<T> {
  for await (const event of events) {
    if (random.next() < 0.5) await sleep(random.integer(lateByMs));
    yield event;
  }
}
