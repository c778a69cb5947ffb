/** The API server's metrics under upstream's names. */
import { exponentialBuckets, type Context } from '../../kernel/index.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ApiResponse } from '../request/request.ts';
import { bodyLength } from '../request/responses.ts';

export interface ApiServerMetrics {
  observe(exchange: Exchange, response: ApiResponse): void;
  /** A long response has been sent, or was aborted after this many bytes. */
  observeSize(exchange: Exchange, response: ApiResponse, bytes: number): void;
}

const KNOWN_LIMIT = 5000;
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
  const children = new Map<string, Instruments>();
  const instrumentsOf = (exchange: Exchange, response: ApiResponse): Instruments => {
    const { info, request } = exchange;
    const dryRun = dryRunLabel(request.query);
    const key = exchange.recognized
      ? `${info.verb} ${info.apiGroup} ${info.apiVersion} ${info.resource} ${info.subresource} ${info.namespace === ''} ${info.name === ''} ${dryRun} ${info.isResourceRequest ? '' : firstSegment(info)} ${response.status}`
      : `${request.method} ${response.status}`;
    let instruments = children.get(key);
    if (!instruments) {
      const values = exchange.recognized ? labelsOf(exchange) : labelsOfUnknown(request.method);
      instruments = {
        total: total.child({ ...values, dry_run: exchange.recognized ? dryRun : '', code: String(response.status) }),
        duration: duration.child({ ...values, dry_run: exchange.recognized ? dryRun : '' }),
        sizes: sizes.child(values),
      };
      if (children.size < KNOWN_LIMIT) children.set(key, instruments);
    }
    return instruments;
  };
  return {
    observe(exchange, response) {
      const instruments = instrumentsOf(exchange, response);
      instruments.total.inc();
      instruments.duration.observe((ctx.clock.monotonic() - exchange.startedAt) / 1000);
      const size = bodyLength(response);
      if (size > 0) instruments.sizes.observe(size);
    },
    observeSize: (exchange, response, bytes) => instrumentsOf(exchange, response).sizes.observe(bytes),
  };
}

interface Instruments {
  total: { inc(by?: number): void };
  duration: { observe(value: number): void };
  sizes: { observe(value: number): void };
}

type Labels = Record<'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'scope' | 'component', string>;

function labelsOf({ info, request }: Exchange): Labels {
  return {
    verb: info.isResourceRequest ? info.verb.toUpperCase() : request.method,
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
