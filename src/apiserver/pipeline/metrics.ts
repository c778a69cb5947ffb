/** The API server's metrics under upstream's names. */
import { SequenceMemory } from '../../base/index.ts';
import { EventLoopTurns, exponentialBuckets, RealClock, type Context } from '../../kernel/index.ts';
import type { Exchange } from '../request/exchange.ts';
import { isLongRunning, requestKind, type RequestInfo, type RequestKind } from '../request/request-info.ts';
import { headerOf, type ApiResponse } from '../request/request.ts';
import { bodyLength } from '../request/responses.ts';

export interface ApiServerMetrics {
  /** A request has arrived; `observe` follows when it is answered. */
  started(info: RequestInfo): void;
  /** Returns the current time, on the monotonic clock: the request has been answered then. */
  observe(exchange: Exchange, response: ApiResponse): number;
  /** A long-running request goes on after its response has begun; the result is called at its end. */
  longRunning(exchange: Exchange): () => void;
  /** The server ended the request: it took too long, or there were too many. */
  terminated(exchange: Exchange, code: number): void;
  /** The client went away before it was answered. */
  aborted(exchange: Exchange): void;
  /** A long response has been sent, or was aborted after this many bytes. */
  observeSize(exchange: Exchange, response: ApiResponse, bytes: number): void;
}

/** Of sequences of labels and their beginnings. */
const KNOWN_LIMIT = 10_000;
const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

export function createMetrics(ctx: Context): ApiServerMetrics {
  const labels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
  const total = ctx.metrics.counter({
    name: 'apiserver_request_total',
    help: 'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
    labels: [...labels, 'dry_run', 'code'],
  });
  const duration = ctx.metrics.histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
    labels: [...labels, 'dry_run'],
    buckets: DURATION_BUCKETS,
  });
  const sizes = ctx.metrics.histogram({
    name: 'apiserver_response_sizes',
    help: 'Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
    labels: [...labels],
    buckets: exponentialBuckets(1000, 10, 7),
  });
  const sli = ctx.metrics.histogram({
    name: 'apiserver_request_sli_duration_seconds',
    help: 'Response latency in seconds without the time in webhooks and queues, for each verb, group, version, resource, subresource, scope and component.',
    labels: [...labels],
    buckets: DURATION_BUCKETS.slice(2),
  });
  const validated = ctx.metrics.histogram({
    name: 'field_validation_request_duration_seconds',
    help: 'Response latency in seconds of requests with each kind of field validation.',
    labels: ['field_validation'],
    buckets: DURATION_BUCKETS.slice(2),
  });
  const deprecated = ctx.metrics.gauge({
    name: 'apiserver_requested_deprecated_apis',
    help: 'Deprecated APIs that were requested, with the release that removes them.',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
  });
  const own = ctx.metrics.counter({
    name: 'apiserver_selfrequest_total',
    help: 'Counter of requests of the server to itself.',
    labels: ['verb', 'group', 'resource', 'subresource'],
  });
  const running = new Map<string, { readonly values: Labels; count: number }>();
  ctx.metrics
    .gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Gauge of all active long-running requests.',
      labels: [...labels],
    })
    .collectEach(() => [...running.values()].map(({ values, count }) => ({ labels: values, value: count })));
  const terminations = ctx.metrics.counter({
    name: 'apiserver_request_terminations_total',
    help: 'Number of requests that the server ended to protect itself.',
    labels: [...labels, 'code'],
  });
  const aborts = ctx.metrics.counter({
    name: 'apiserver_request_aborts_total',
    help: 'Number of requests whose clients went away.',
    labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope'],
  });
  const validations = new Map<string, { observe(value: number): void }>();
  const validatedAs = (kind: string): { observe(value: number): void } => {
    let child = validations.get(kind);
    if (!child) validations.set(kind, (child = validated.child({ field_validation: kind })));
    return child;
  };
  const inFlight = inFlightGauge(ctx);
  // Virtual time stands during a turn.
  const turns = ctx.clock instanceof RealClock ? new EventLoopTurns(ctx.metrics, ctx.clock) : undefined;
  const known = new SequenceMemory<string | number | boolean, Instruments>(KNOWN_LIMIT);
  const makeInstruments = (exchange: Exchange, dryRun: string, status: number): Instruments => {
    const { info, request, recognized } = exchange;
    const values = recognized ? labelsOf(exchange) : labelsOfUnknown(request.method);
    const dry_run = recognized ? dryRun : '';
    return {
      total: total.child({ ...values, dry_run, code: String(status) }),
      duration: duration.child({ ...values, dry_run }),
      sizes: sizes.child(values),
      sli: recognized && !isLongRunning(info) ? sli.child(values) : undefined,
    };
  };
  const instrumentsOf = (exchange: Exchange, { status }: ApiResponse): Instruments => {
    const { info, request } = exchange;
    const dryRun = dryRunLabel(request.query);
    const place = known.of(
      exchange.recognized
        ? [
            status,
            verbOf(exchange),
            info.verb,
            info.apiGroup,
            info.apiVersion,
            info.resource,
            info.subresource,
            info.namespace === '',
            info.name === '',
            dryRun,
            info.isResourceRequest ? '' : firstSegment(info),
          ]
        : [status, request.method],
    );
    if (place === undefined) return makeInstruments(exchange, dryRun, status);
    return (place.remembered ??= makeInstruments(exchange, dryRun, status));
  };
  const labelsFor = (exchange: Exchange): Labels =>
    exchange.recognized ? labelsOf(exchange) : labelsOfUnknown(exchange.request.method);
  return {
    started(info) {
      inFlight[requestKind(info)]++;
      turns?.begin();
    },
    longRunning(exchange) {
      const values = labelsFor(exchange);
      const key = Object.values(values).join(' ');
      const entry = running.get(key) ?? { values, count: 0 };
      running.set(key, entry);
      entry.count++;
      return () => void entry.count--;
    },
    terminated: (exchange, code) => terminations.inc({ ...labelsFor(exchange), code: String(code) }),
    aborted(exchange) {
      const { component, ...values } = labelsFor(exchange);
      aborts.inc(values);
    },
    observe(exchange, response) {
      inFlight[requestKind(exchange.info)]--;
      const instruments = instrumentsOf(exchange, response);
      instruments.total.inc();
      const now = ctx.clock.monotonic();
      const tookMs = now - exchange.startedAt;
      instruments.duration.observe(tookMs / 1000);
      instruments.sli?.observe((tookMs - exchange.waitedMs - (exchange.webhooksMs ?? 0)) / 1000);
      validatedAs(fieldValidationOf(exchange)).observe(tookMs / 1000);
      if (exchange.removedRelease !== undefined) deprecated.set(1, deprecatedLabels(exchange, exchange.removedRelease));
      if (exchange.user?.name === SERVER) {
        const { verb, group, resource, subresource } = labelsFor(exchange);
        own.inc({ verb, group, resource, subresource });
      }
      const size = bodyLength(response);
      if (size > 0) instruments.sizes.observe(size);
      return now;
    },
    observeSize: (exchange, response, bytes) => instrumentsOf(exchange, response).sizes.observe(bytes),
  };
}

interface Instruments {
  total: { inc(by?: number): void };
  duration: { observe(value: number): void };
  sizes: { observe(value: number): void };
  sli: { observe(value: number): void } | undefined;
}

/** The user that the server's own requests have. */
const SERVER = 'system:apiserver';
const FIELD_VALIDATIONS = new Set(['', 'Ignore', 'Warn', 'Strict']);

function inFlightGauge({ metrics }: Context): Record<RequestKind, number> {
  const counts = { readOnly: 0, mutating: 0 };
  const gauge = metrics.gauge({
    name: 'apiserver_current_inflight_requests',
    help: 'Number of requests that are being handled, by kind.',
    labels: ['request_kind'],
  });
  for (const kind of ['readOnly', 'mutating'] as const) gauge.collect(() => counts[kind], { request_kind: kind });
  return counts;
}

function fieldValidationOf({ request }: Exchange): string {
  const [asked = '', ...more] = request.query.getAll('fieldValidation');
  return more.length === 0 && FIELD_VALIDATIONS.has(asked) ? asked : 'invalid';
}

const deprecatedLabels = ({ info }: Exchange, removed: string) => ({
  group: info.apiGroup,
  version: info.apiVersion,
  resource: info.resource,
  subresource: info.subresource,
  removed_release: removed,
});

type Labels = Record<'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'scope' | 'component', string>;

const CONNECTED = new Set(['log', 'exec', 'portforward', 'attach', 'proxy']);
const VERBS: ReadonlyMap<string, string> = new Map([
  ['watch', 'WATCH'],
  ['list', 'LIST'],
  ['get', 'GET'],
]);

/** Metrics name the method, and not the verb that authorizers see. Reads are told apart by it, and applies and connections from others. */
function verbOf({ info, request }: Pick<Exchange, 'info' | 'request'>): string {
  if (!info.isResourceRequest) return request.method;
  if (CONNECTED.has(info.subresource)) return 'CONNECT';
  if (info.verb === 'patch' && headerOf(request, 'content-type') === 'application/apply-patch+yaml') return 'APPLY';
  return VERBS.get(info.verb) ?? request.method;
}

function labelsOf({ info, request }: Exchange): Labels {
  return {
    verb: verbOf({ info, request }),
    group: info.apiGroup,
    version: info.apiVersion,
    resource: info.resource,
    subresource: info.isResourceRequest ? info.subresource : firstSegment(info),
    scope: scopeOf(info),
    component: 'apiserver',
  };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Unknown paths become no labels: a client could create a series for every path it invents. */
const labelsOfUnknown = (method: string): Labels => ({
  verb: METHODS.has(method) ? method : 'other',
  group: '',
  version: '',
  resource: '',
  subresource: '',
  scope: '',
  component: 'apiserver',
});

const firstSegment = (info: Exchange['info']): string => info.path.split('/')[1]!;

function dryRunLabel(query: URLSearchParams): string {
  const value = query.get('dryRun') ?? '';
  return value === '' || value === 'All' ? value : 'invalid';
}

function scopeOf(info: Exchange['info']): string {
  if (!info.isResourceRequest) return '';
  if (info.name !== '') return 'resource';
  return info.namespace !== '' ? 'namespace' : 'cluster';
}
