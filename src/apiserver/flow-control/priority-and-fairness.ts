/** Classifies requests by the cluster's FlowSchemas and PriorityLevelConfigurations. */
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';
import type { Context } from '../../kernel/index.ts';
import { flowSchemas, priorityLevels } from '../bootstrap/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { FlowIdentity } from '../request/exchange.ts';
import { isLongRunning, requestKind, type RequestInfo } from '../request/request-info.ts';
import type { ApiRequest, UserInfo } from '../request/request.ts';
import type { Admitted, FlowControl } from './flow-control.ts';
import { FlowMetrics } from './flow-metrics.ts';
import { FlowSchemas, type MatchedSchema } from './flow-schemas.ts';
import { FlowCounts, PriorityLevel, type FlowInstruments, type LevelEvents } from './priority-level.ts';
import { requestWidth } from './request-width.ts';
import { allocateNominal, lendSeats } from './seat-allocation.ts';

export interface PriorityAndFairnessOptions {
  /** Requests that run at once in all levels; upstream's 400 and 200. */
  readonly serverSeats?: number;
}

const GROUP = 'flowcontrol.apiserver.k8s.io';
const DEFAULT_SEATS = 600;
/** How often seats are lent anew. */
const LEND_EVERY_MS = 10_000;
const NOT_LIMITED: Admitted = { leave: () => {} };

interface Target {
  readonly schema: MatchedSchema;
  readonly level: PriorityLevel;
  readonly identity: FlowIdentity;
  readonly counts: FlowCounts;
  readonly regular: FlowInstruments;
  readonly watch: FlowInstruments;
}

export class PriorityAndFairness implements FlowControl {
  readonly #waiting = { readOnly: 0, mutating: 0 };
  readonly #ctx: Context;
  readonly #registry: Registry;
  readonly #flowSchemas: ServedResource;
  readonly #priorityLevels: ServedResource;
  readonly #serverSeats: number;
  readonly #events: LevelEvents;
  readonly #metrics: FlowMetrics;
  /** By level and schema: a change of the configuration does not end the requests that are counted. */
  readonly #counts = new Map<string, FlowCounts>();
  #levels = new Map<string, PriorityLevel>();
  #schemas = new FlowSchemas([]);
  #targets = new Map<MatchedSchema, Target>();
  #changed = true;
  #lentAt = -Infinity;
  #fairFraction = 0;

  constructor(ctx: Context, registry: Registry, options: PriorityAndFairnessOptions = {}) {
    this.#ctx = ctx;
    this.#registry = registry;
    this.#serverSeats = options.serverSeats ?? DEFAULT_SEATS;
    this.#flowSchemas = registry.require(GROUP, 'v1', 'flowschemas');
    this.#priorityLevels = registry.require(GROUP, 'v1', 'prioritylevelconfigurations');
    for (const { cache } of [this.#flowSchemas, this.#priorityLevels])
      cache.watch({ scope: '', deliver: () => (this.#changed = true) });
    this.#metrics = new FlowMetrics(ctx.metrics, {
      levels: () => this.#current(),
      counts: () => this.#counts,
      serverSeats: this.#serverSeats,
      fairFraction: () => this.#fairFraction,
    });
    const waiting = ctx.metrics.gauge({
      name: 'apiserver_current_inqueue_requests',
      help: 'Number of requests that wait in a queue, by kind.',
      labels: ['request_kind'],
    });
    for (const kind of ['readOnly', 'mutating'] as const)
      waiting.collect(() => this.#waiting[kind], { request_kind: kind });
    this.#events = { rejected: this.#metrics.rejected, contended: () => this.#lend() };
  }

  enter(user: UserInfo, info: RequestInfo, request: ApiRequest): Admitted | Promise<Admitted> {
    // A watch takes a seat until its initial events are sent; other long-running requests take none.
    if (info.verb !== 'watch' && isLongRunning(info)) return NOT_LIMITED;
    if (this.#changed) this.#reload();
    const target = this.#targetOf(user, info);
    const { schema, level, identity, counts } = target;
    const width = level.exempt ? 1 : requestWidth(this.#registry, info, request.query);
    const entered = level.enter({
      schema: schema.name,
      distinguisher: distinguisherOf(schema, user, info),
      identity,
      counts,
      instruments: info.verb === 'watch' ? target.watch : target.regular,
      width,
      request,
    });
    return entered instanceof Promise ? this.#queued(info, entered) : entered;
  }

  async #queued(info: RequestInfo, entered: Promise<Admitted>): Promise<Admitted> {
    const kind = requestKind(info);
    this.#waiting[kind]++;
    try {
      return await entered;
    } finally {
      this.#waiting[kind]--;
    }
  }

  /** The current state of each level. */
  levels(): { name: string; seats: number; executing: number; waiting: number }[] {
    return this.#current().map(({ name, seats, executing, waiting }) => ({
      name,
      seats,
      executing,
      waiting,
    }));
  }

  #current(): PriorityLevel[] {
    if (this.#changed) this.#reload();
    return [...this.#levels.values()];
  }

  #targetOf(user: UserInfo, info: RequestInfo): Target {
    const schema = this.#schemas.match(user, info) ?? CATCH_ALL;
    let target = this.#targets.get(schema);
    if (!target) {
      const level = this.#levels.get(schema.priorityLevel) ?? this.#levels.get('catch-all')!;
      const key = `${level.name}\0${schema.name}`;
      const counts = this.#counts.get(key) ?? new FlowCounts();
      this.#counts.set(key, counts);
      target = {
        schema,
        level,
        identity: {
          flowSchema: schema.name,
          flowSchemaUid: schema.uid,
          priorityLevel: level.name,
          priorityLevelUid: level.uid,
        },
        counts,
        regular: this.#metrics.instruments(level.name, schema.name, 'regular'),
        watch: this.#metrics.instruments(level.name, schema.name, 'watch'),
      };
      this.#targets.set(schema, target);
    }
    return target;
  }

  /** Unchanged levels keep their requests; the requests of a removed level run to their end. */
  #reload(): void {
    this.#changed = false;
    const stored = (served: ServedResource): unknown[] => served.cache.list().map(({ object }) => object);
    const configurations = withMandatory(
      stored(this.#priorityLevels) as PriorityLevelConfiguration[],
      priorityLevels(),
    );
    const levels = new Map<string, PriorityLevel>();
    for (const configuration of configurations) {
      const name = configuration.metadata?.name ?? '';
      const signature = JSON.stringify([configuration.metadata?.uid, configuration.spec]);
      const known = this.#levels.get(name);
      const level =
        known && this.#signatures.get(known) === signature
          ? known
          : new PriorityLevel(this.#ctx.clock, this.#events, configuration);
      this.#signatures.set(level, signature);
      levels.set(name, level);
    }
    allocateNominal([...levels.values()], this.#serverSeats);
    this.#levels = levels;
    this.#schemas = new FlowSchemas(withMandatory(stored(this.#flowSchemas) as FlowSchema[], flowSchemas()));
    this.#targets.clear();
    for (const [key, { executing, waiting }] of this.#counts)
      if (executing === 0 && waiting === 0) this.#counts.delete(key);
    for (const level of levels.values()) level.dispatch();
  }

  #signatures = new WeakMap<PriorityLevel, string>();

  #lend(): void {
    const now = this.#ctx.clock.monotonic();
    if (now - this.#lentAt < LEND_EVERY_MS) return;
    this.#lentAt = now;
    const levels = [...this.#levels.values()];
    this.#fairFraction = lendSeats(levels, this.#serverSeats);
    for (const level of levels) level.dispatch();
  }
}

const distinguisherOf = ({ distinguisher }: MatchedSchema, user: UserInfo, info: RequestInfo): string =>
  distinguisher === 'ByUser' ? user.name : distinguisher === 'ByNamespace' ? info.namespace : '';

const CATCH_ALL: MatchedSchema = { name: 'catch-all', uid: '', priorityLevel: 'catch-all', distinguisher: 'ByUser' };
const MANDATORY = new Set(['exempt', 'catch-all']);

/** Adds the mandatory objects where they do not exist yet, or were deleted. */
function withMandatory<T extends { readonly metadata?: { readonly name?: string } }>(
  stored: readonly T[],
  own: readonly T[],
): T[] {
  const names = new Set(stored.map(({ metadata }) => metadata?.name));
  return [
    ...stored,
    ...own.filter(({ metadata }) => MANDATORY.has(metadata?.name ?? '') && !names.has(metadata?.name)),
  ];
}
