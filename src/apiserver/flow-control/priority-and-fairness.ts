/** Classifies requests by the cluster's FlowSchemas and PriorityLevelConfigurations. */
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';
import type { Context, Counter, Gauge } from '../../kernel/index.ts';
import { flowSchemas, priorityLevels } from '../bootstrap/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { FlowIdentity } from '../request/exchange.ts';
import { isLongRunning, type RequestInfo } from '../request/request-info.ts';
import type { ApiRequest, UserInfo } from '../request/request.ts';
import type { Admitted, FlowControl, TooBusy } from './flow-control.ts';
import { FlowSchemas, type MatchedSchema } from './flow-schemas.ts';
import { PriorityLevel, type LevelEvents } from './priority-level.ts';
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
}

export class PriorityAndFairness implements FlowControl {
  readonly #ctx: Context;
  readonly #registry: Registry;
  readonly #flowSchemas: ServedResource;
  readonly #priorityLevels: ServedResource;
  readonly #serverSeats: number;
  readonly #events: LevelEvents;
  readonly #nominalSeats: Gauge<'priority_level'>;
  #levels = new Map<string, PriorityLevel>();
  #schemas = new FlowSchemas([]);
  #targets = new Map<MatchedSchema, Target>();
  #changed = true;
  #lentAt = -Infinity;

  constructor(ctx: Context, registry: Registry, options: PriorityAndFairnessOptions = {}) {
    this.#ctx = ctx;
    this.#registry = registry;
    this.#serverSeats = options.serverSeats ?? DEFAULT_SEATS;
    this.#flowSchemas = registry.require(GROUP, 'v1', 'flowschemas');
    this.#priorityLevels = registry.require(GROUP, 'v1', 'prioritylevelconfigurations');
    for (const { cache } of [this.#flowSchemas, this.#priorityLevels])
      cache.watch({ scope: '', deliver: () => (this.#changed = true) });
    this.#nominalSeats = ctx.metrics.gauge({
      name: 'apiserver_flowcontrol_nominal_limit_seats',
      help: 'Nominal number of execution seats configured for each priority level',
      labels: ['priority_level'],
    });
    this.#events = { ...this.#metrics(), contended: () => this.#lend() };
  }

  enter(user: UserInfo, info: RequestInfo, request: ApiRequest): Admitted | Promise<Admitted> {
    // A watch takes a seat until its initial events are sent; other long-running requests take none.
    if (info.verb !== 'watch' && isLongRunning(info)) return NOT_LIMITED;
    if (this.#changed) this.#reload();
    const target = this.#targetOf(user, info);
    const { schema, level, identity } = target;
    const width = level.exempt ? 1 : requestWidth(this.#registry, info, request.query);
    return level.enter({
      schema: schema.name,
      distinguisher: distinguisherOf(schema, user, info),
      identity,
      width,
      request,
    });
  }

  /** The current state of each level. */
  levels(): { name: string; seats: number; executing: number; waiting: number }[] {
    if (this.#changed) this.#reload();
    return [...this.#levels.values()].map(({ name, seats, executing, waiting }) => ({
      name,
      seats,
      executing,
      waiting,
    }));
  }

  #targetOf(user: UserInfo, info: RequestInfo): Target {
    const schema = this.#schemas.match(user, info) ?? CATCH_ALL;
    let target = this.#targets.get(schema);
    if (!target) {
      const level = this.#levels.get(schema.priorityLevel) ?? this.#levels.get('catch-all')!;
      target = {
        schema,
        level,
        identity: {
          flowSchema: schema.name,
          flowSchemaUid: schema.uid,
          priorityLevel: level.name,
          priorityLevelUid: level.uid,
        },
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
    for (const name of this.#levels.keys()) if (!levels.has(name)) this.#nominalSeats.remove({ priority_level: name });
    for (const { name, nominalSeats } of levels.values())
      this.#nominalSeats.set(nominalSeats, { priority_level: name });
    this.#levels = levels;
    this.#schemas = new FlowSchemas(withMandatory(stored(this.#flowSchemas) as FlowSchema[], flowSchemas()));
    this.#targets.clear();
    for (const level of levels.values()) level.dispatch();
  }

  #signatures = new WeakMap<PriorityLevel, string>();

  #lend(): void {
    const now = this.#ctx.clock.monotonic();
    if (now - this.#lentAt < LEND_EVERY_MS) return;
    this.#lentAt = now;
    const levels = [...this.#levels.values()];
    lendSeats(levels, this.#serverSeats);
    for (const level of levels) level.dispatch();
  }

  #metrics(): Pick<LevelEvents, 'dispatched' | 'rejected'> {
    const { metrics } = this.#ctx;
    const labels = ['priority_level', 'flow_schema'] as const;
    const dispatched = metrics.counter({
      name: 'apiserver_flowcontrol_dispatched_requests_total',
      help: 'Number of requests executed by API Priority and Fairness subsystem',
      labels,
    });
    const rejected: Counter<'priority_level' | 'flow_schema' | 'reason'> = metrics.counter({
      name: 'apiserver_flowcontrol_rejected_requests_total',
      help: 'Number of requests rejected by API Priority and Fairness subsystem',
      labels: [...labels, 'reason'],
    });
    const children = new Map<string, { inc(): void }>();
    return {
      dispatched({ name }, schema) {
        let child = children.get(schema);
        if (!child) children.set(schema, (child = dispatched.child({ priority_level: name, flow_schema: schema })));
        child.inc();
      },
      rejected: ({ name }, schema, reason: TooBusy['reason']) =>
        rejected.inc({ priority_level: name, flow_schema: schema, reason }),
    };
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
