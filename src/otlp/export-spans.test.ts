import { afterEach, describe, expect, it } from 'vitest';
import { GrpcError } from '../grpc/index.ts';
import { createContext, SpanRing, type Context } from '../kernel/index.ts';
import { until } from '../kernel/testing/index.ts';
import { exportSpans } from './index.ts';
import { attributesOf, Collector, hex } from './testing/collector.ts';
import type { OtlpSpan } from './trace-service.generated.ts';

interface Exporting {
  readonly ctx: Context;
  readonly ring: SpanRing;
  readonly collector: Collector;
  /** Ends the process: what is left is sent. */
  end(): Promise<void>;
}

const open: Exporting[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) {
    await each.end();
    each.collector.close();
  }
});

async function exporting(samplingRatePerMillion: number): Promise<Exporting> {
  const collector = new Collector();
  const endpoint = await collector.listen();
  const stop = new AbortController();
  const ctx = createContext({ tracer: 'memory', signal: stop.signal, writeLog: () => {} });
  const ring = ctx.tracer as SpanRing;
  const finished = exportSpans(ctx, { endpoint, samplingRatePerMillion }, { 'service.name': 'apiserver' });
  await until('spans are exported', () => ring.exporting);
  const end = async (): Promise<void> => {
    stop.abort(new Error('end'));
    await finished;
  };
  const made = { ctx, ring, collector, end };
  open.push(made);
  return made;
}

const EVERYTHING = 1_000_000;

describe('the OTLP exporter', () => {
  it('sends a request, its commit and the reconcile that saw it as one trace', async () => {
    const { ring, collector, end } = await exporting(EVERYTHING);
    const request = ring.start('create pods', {
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/namespaces/{:namespace}/pods',
        'k8s.dry_run': true,
        'user.name': undefined,
      },
    });
    const object = { group: '', resource: 'pods', namespace: 'default', name: 'a' };
    const { id: parent, startedAt } = request;
    ring.committed({ revision: 7, parent, startedAt, operation: 'put', deliveries: 0, ...object });
    request.attributes['http.response.status_code'] = 201;
    ring.end(request);
    ring.end(ring.start('other'));
    const reconcile = ring.start('reconcile replicaset', { causes: [7, { span: request.id + 2 }] });
    ring.end(reconcile, new Error('conflict'));
    await end();
    const [commit, server, other, work] = collector.spans as [OtlpSpan, OtlpSpan, OtlpSpan, OtlpSpan];
    expect(server).toMatchObject({ name: 'POST /api/v1/namespaces/{:namespace}/pods', kind: 2, flags: 1 });
    expect(attributesOf(server)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/v1/namespaces/{:namespace}/pods',
      'http.response.status_code': 201,
      'k8s.dry_run': true,
    });
    expect(hex(server.traceId)).toMatch(/^[0-9a-f]{32}$/);
    expect(server.parentSpanId).toBeUndefined();
    expect(hex(commit.parentSpanId)).toBe(hex(server.spanId));
    expect(hex(work.parentSpanId)).toBe(hex(commit.spanId));
    expect([commit, work].map(({ traceId }) => hex(traceId))).toEqual([hex(server.traceId), hex(server.traceId)]);
    expect(hex(other.traceId)).not.toBe(hex(server.traceId));
    expect(work.links?.map((link) => hex(link.spanId))).toEqual([hex(other.spanId)]);
    expect(work.status).toEqual({ code: 2, message: 'conflict' });
    expect(collector.requests[0]?.resourceSpans?.[0]?.resource?.attributes).toEqual([
      { key: 'service.name', value: { stringValue: 'apiserver' } },
    ]);
    expect(Math.abs((server.startTimeUnixNano ?? 0) / 1e6 - Date.parse(new Date().toISOString()))).toBeLessThan(60_000);
  });

  it('follows a privileged caller, and links to others', async () => {
    const { ring, collector, end } = await exporting(0);
    const callers = { sampled: 'a'.repeat(16), unsampled: 'b'.repeat(16), foreign: 'c'.repeat(16) };
    const traceId = '1'.repeat(32);
    const request = (name: string, spanId: string, flags: string, trustsCaller: boolean): void => {
      const parent = ring.fromHeaders({ traceparent: `00-${traceId}-${spanId}-${flags}` });
      const span = ring.start(name, { parent });
      span.trustsCaller = trustsCaller;
      ring.end(span);
    };
    request('sampled', callers.sampled, '01', true);
    request('unsampled', callers.unsampled, '00', true);
    request('foreign', callers.foreign, '01', false);
    ring.end(ring.start('root'));
    await end();
    expect(collector.spans.map(({ name }) => name)).toEqual(['sampled']);
    expect(hex(collector.spans[0]!.traceId)).toBe(traceId);
    expect(hex(collector.spans[0]!.parentSpanId)).toBe(callers.sampled);
  });

  it('does not let other callers choose the trace, and sends the decision on', async () => {
    const { ring, collector, end } = await exporting(EVERYTHING);
    const parent = ring.fromHeaders({ traceparent: `00-${'1'.repeat(32)}-${'c'.repeat(16)}-00` });
    const span = ring.start('foreign', { parent });
    expect(ring.headersOf(span.id)?.traceparent).toMatch(/-01$/);
    ring.end(span);
    await end();
    const [sent] = collector.spans;
    expect(hex(sent!.traceId)).not.toBe('1'.repeat(32));
    expect(sent!.links?.map((link) => hex(link.spanId))).toEqual(['c'.repeat(16)]);
  });

  it('samples about the part that is asked for', async () => {
    const { ring, collector, ctx, end } = await exporting(250_000);
    for (let i = 0; i < 2000; i++) ring.end(ring.start('root'));
    await end();
    expect(collector.spans.length).toBeGreaterThan(350);
    expect(collector.spans.length).toBeLessThan(650);
    expect(ctx.metrics.counter({ name: 'k8ts_otlp_exported_spans_total', help: '' }).value()).toBe(
      collector.spans.length,
    );
  });

  it('sends reads, too', async () => {
    const { ring, collector, ctx, end } = await exporting(EVERYTHING);
    const now = ctx.clock.monotonic();
    ring.read({
      startedAt: now,
      endedAt: now + 1,
      parent: 0,
      verb: 'get',
      path: '/api/v1/namespaces/default/pods/web',
      user: 'me',
      auditId: 'x',
      status: 200,
      method: 'GET',
      route: '/api/v1/namespaces/{:namespace}/pods/{:name}',
      traceparent: `00-${'1'.repeat(32)}-${'c'.repeat(16)}-01`,
      trustsCaller: true,
    });
    await end();
    expect(collector.spans[0]).toMatchObject({ name: 'GET /api/v1/namespaces/{:namespace}/pods/{:name}', kind: 2 });
    expect(hex(collector.spans[0]!.parentSpanId)).toBe('c'.repeat(16));
    expect(attributesOf(collector.spans[0]!)).toMatchObject({ 'audit-id': 'x', 'http.response.status_code': 200 });
  });

  it('drops and counts what a collector does not take, and what the queue has no room for', async () => {
    const { ring, collector, ctx, end } = await exporting(EVERYTHING);
    collector.refuse = new GrpcError('INVALID_ARGUMENT', 'no');
    // A turn has no room for calls: the queue is full.
    for (let i = 0; i < 5000; i++) ring.end(ring.start('root'));
    const dropped = ctx.metrics.counter({ name: 'k8ts_otlp_dropped_spans_total', help: '', labels: ['reason'] });
    expect(dropped.value({ reason: 'queue_full' })).toBe(5000 - 2048);
    await until('spans are dropped', () => dropped.value({ reason: 'export_failed' }) > 0);
    collector.refuse = undefined;
    await end();
    expect(collector.spans.length + dropped.value({ reason: 'export_failed' })).toBe(2048);
  });
});
