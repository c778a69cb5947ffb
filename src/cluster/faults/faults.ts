import type { ApiRequest, ApiResponse } from '../../apiserver/index.ts';
import type { Clock, Random } from '../../kernel/index.ts';
import { ADMIN } from '../identities.ts';
import type { Fault } from './fault.ts';
import { matches, requestFacts, type RequestFacts, type RequestMatch } from './request-match.ts';
import { WatchFaults } from './watch-faults.ts';

export interface FaultOptions extends RequestMatch {
  /** How many requests it hits; default: until it is lifted. */
  readonly times?: number;
  /** The probability of hitting a request; default 1. */
  readonly probability?: number;
  /** Whether the cluster's own client is hit, too; default false. */
  readonly ownClient?: boolean;
}

/** Handles a request in place of the server, which is `next`. */
type Strike = (request: ApiRequest, next: () => Promise<ApiResponse>) => Promise<ApiResponse>;

interface Rule extends Fault {
  readonly options: FaultOptions;
  readonly strike: Strike;
  hits: number;
}

type Handle = (request: ApiRequest) => Promise<ApiResponse>;

const TOUCHED = 'faults.k8ts.dev/touched';

/** The user agent of the client that faults spare. */
export const OWN_CLIENT = 'k8ts-own-client';

export class Faults {
  readonly #rules = new Set<Rule>();
  readonly #watches = new WatchFaults();
  #server: Handle | undefined;
  #touches = 0;
  #used = false;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Whether a fault was ever ordered. */
  get isUsed(): boolean {
    return this.#used;
  }

  /** Requests fail with this status, and nothing happens on the server: 500, 409, 429, 503… */
  errors(options: FaultOptions & { status?: number; message?: string } = {}): Fault {
    const { status = 500, message = 'a fault was ordered' } = options;
    return this.#order(options, () => Promise.resolve(failure(status, message)));
  }

  /** Changes the object just before each write, so that a stale writer gets 409. */
  conflicts(options: FaultOptions = {}): Fault {
    return this.#order({ verb: ['update', 'patch', 'delete'], ...options }, async (request, next) => {
      const facts = requestFacts(request);
      if (facts?.name) await this.#touch(request, facts);
      return next();
    });
  }

  /** The server performs the write, but the client gets a 504. */
  timeoutsAfterWrite(options: FaultOptions = {}): Fault {
    return this.#order({ verb: 'write', ...options }, async (_, next) => {
      await next();
      return failure(504, 'request did not complete within the allotted timeout');
    });
  }

  /** Delays requests. */
  delay(ms: number, options: FaultOptions = {}): Fault {
    return this.#order(options, async (request, next) => {
      await this.#clock.sleep(ms, request.signal).catch(() => undefined);
      return next();
    });
  }

  /** Breaks all open watches that match; returns their number. */
  dropWatches(match: RequestMatch = {}): number {
    return this.#watches.drop(match);
  }

  /** Open and new watches stay connected but deliver nothing until the fault is lifted; then they catch up. */
  stallWatches(match: RequestMatch = {}): Fault {
    return this.#watches.stall(match);
  }

  /** Lifts all faults. */
  clear(): void {
    this.#rules.clear();
    this.#watches.clear();
  }

  /** Wraps the API server's pipeline. */
  readonly intercept = (handle: Handle): Handle => {
    this.#server = handle;
    return async (request) => {
      if (this.#rules.size === 0 && !isWatch(request)) return handle(request);
      const facts = requestFacts(request);
      if (facts === undefined) return handle(request);
      const next = (): Promise<ApiResponse> => handle(request);
      const rule = this.#strikingRule(request, facts);
      const response = await (rule ? rule.strike(request, next) : next());
      return facts.verb === 'watch' ? this.#watches.attach(request, facts, response) : response;
    };
  };

  /** Changes an annotation, so that the resourceVersion changes. */
  async #touch(request: ApiRequest, { subresource }: RequestFacts): Promise<void> {
    const patch = JSON.stringify({ metadata: { annotations: { [TOUCHED]: String(++this.#touches) } } });
    await this.#server?.({
      method: 'PATCH',
      path: subresource === '' ? request.path : request.path.slice(0, request.path.lastIndexOf('/')),
      query: new URLSearchParams({ fieldManager: 'faults' }),
      headers: { 'content-type': 'application/merge-patch+json' },
      readBody: () => Promise.resolve(Buffer.from(patch)),
      inProcess: true,
      user: ADMIN,
      remoteAddress: '127.0.0.1',
      signal: request.signal,
    });
  }

  #order(options: FaultOptions, strike: Strike): Fault {
    const rule: Rule = { options, strike, hits: 0, lift: () => void this.#rules.delete(rule) };
    this.#rules.add(rule);
    this.#used = true;
    return rule;
  }

  #strikingRule(request: ApiRequest, facts: RequestFacts): Rule | undefined {
    for (const rule of this.#rules) {
      const { options } = rule;
      if (!options.ownClient && request.headers['user-agent'] === OWN_CLIENT) continue;
      if (!matches(options, request, facts)) continue;
      if (options.probability !== undefined && this.#random.next() >= options.probability) continue;
      rule.hits++;
      if (options.times !== undefined && rule.hits >= options.times) this.#rules.delete(rule);
      return rule;
    }
    return undefined;
  }
}

const isWatch = (request: ApiRequest): boolean => request.query.has('watch');

const REASONS: Readonly<Record<number, string>> = {
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function failure(code: number, message: string): ApiResponse {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: REASONS[code] ?? '',
    code,
  };
  return { status: code, headers: { 'content-type': 'application/json' }, body: JSON.stringify(status) };
}
