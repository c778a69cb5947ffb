/** Exports the spans of a process by OTLP over gRPC. What the collector does not take in time is dropped and counted. */
import type { GrpcConnection, GrpcError } from '../grpc/index.ts';
import { isAbort, SpanRing, type Attributes, type Context, type ReadSpan, type Span } from '../kernel/index.ts';
import { keyValues, otlpSpan, type ExportedSpan } from './otlp-span.ts';
import { SpanContexts } from './span-contexts.ts';
import { descriptor, PACKAGE, type ExportTraceServiceRequest, type TraceService } from './trace-service.generated.ts';
import type { TracingConfiguration } from './tracing-configuration.ts';

/** As OpenTelemetry's batch processor has them. */
const MAX_QUEUE = 2048;
const MAX_BATCH = 512;
const BATCH_MS = 5000;
const CALL_MS = 10_000;
const RETRY_MS = 5000;
const MAX_RETRIES = 3;
/** How long the process waits for the collector when it ends. */
const LAST_CALLS_MS = 2000;
const RETRYABLE: ReadonlySet<GrpcError['code']> = new Set([
  'UNAVAILABLE',
  'RESOURCE_EXHAUSTED',
  'DEADLINE_EXCEEDED',
  'ABORTED',
  'OUT_OF_RANGE',
  'DATA_LOSS',
  'CANCELLED',
]);

/** Runs until the context ends, and then sends what is left. `resource`: what the process is, such as `service.name`. */
export async function exportSpans(ctx: Context, config: TracingConfiguration, resource: Attributes): Promise<void> {
  if (!(ctx.tracer instanceof SpanRing)) throw new Error('this process records no spans that could be exported');
  // Few processes export spans: the others do not load gRPC for it.
  const { connectGrpc } = await import('../grpc/index.ts');
  const connection = connectGrpc(config.endpoint);
  const exporter = new SpanExporter(ctx, { config, resource, ring: ctx.tracer, connection });
  try {
    await exporter.run();
  } finally {
    exporter.close();
  }
}

interface ExporterParts {
  readonly config: TracingConfiguration;
  readonly resource: Attributes;
  readonly ring: SpanRing;
  readonly connection: GrpcConnection;
}

class SpanExporter {
  readonly #ctx: Context;
  readonly #ring: SpanRing;
  readonly #contexts: SpanContexts;
  readonly #connection: GrpcConnection;
  readonly #service: TraceService;
  readonly #resource: Attributes;
  readonly #exported;
  readonly #dropped;
  #queue: ExportedSpan[] = [];
  #wake: (() => void) | undefined;
  /** Ends the last calls. */
  readonly #ended = new AbortController();

  constructor(ctx: Context, { config, resource, ring, connection }: ExporterParts) {
    this.#ctx = ctx;
    this.#ring = ring;
    this.#resource = resource;
    this.#contexts = new SpanContexts(ring, ctx.random.fork('otlp'), config.samplingRatePerMillion);
    this.#connection = connection;
    this.#service = connection.service<TraceService>({ package: PACKAGE, descriptor }, 'TraceService');
    this.#exported = ctx.metrics.counter({
      name: 'k8ts_otlp_exported_spans_total',
      help: 'Spans that the OTLP collector has taken.',
    });
    this.#dropped = ctx.metrics.counter({
      name: 'k8ts_otlp_dropped_spans_total',
      help: 'Spans that were not exported: the queue was full, or the collector did not take them.',
      labels: ['reason'],
    });
    ring.exportTo({
      contextOf: (span) => this.#contexts.of(span),
      ended: (span) => this.#addEnded(span),
      read: (read) => this.#read(read),
    });
  }

  async run(): Promise<void> {
    const { clock, signal } = this.#ctx;
    const ends = (): void => void clock.after(LAST_CALLS_MS, () => this.#ended.abort());
    signal.addEventListener('abort', ends, { once: true });
    while (!signal.aborted) {
      await this.#untilBatch();
      await this.#sendWithRetries(this.#takeBatch());
    }
    for (let batch = this.#takeBatch(); batch.length > 0; batch = this.#takeBatch()) await this.#sendWithRetries(batch);
  }

  close(): void {
    this.#ring.exportTo(undefined);
    this.#connection.close();
  }

  #addEnded(span: Span): void {
    const context = this.#contexts.of(span);
    if (context.sampled) this.#add({ ...context, span, links: this.#contexts.linksOf(span) });
  }

  #read(read: ReadSpan): void {
    const context = this.#contexts.ofRead(read);
    if (!context.sampled) return;
    const { startedAt, endedAt, method, route, path, status, user, auditId, verb } = read;
    this.#add({
      ...context,
      span: {
        name: verb,
        startedAt,
        endedAt,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'url.path': path,
          'http.response.status_code': status,
          'user.name': user,
          'audit-id': auditId,
          'k8s.verb': verb,
        },
        ...(status < 500 ? {} : { error: `HTTP ${status}` }),
      },
    });
  }

  #add(span: ExportedSpan): void {
    if (this.#queue.length >= MAX_QUEUE) {
      this.#dropped.inc({ reason: 'queue_full' });
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length >= MAX_BATCH) this.#wake?.();
  }

  async #untilBatch(): Promise<void> {
    if (this.#queue.length >= MAX_BATCH) return;
    const { clock, signal } = this.#ctx;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    try {
      await clock.sleep(BATCH_MS, AbortSignal.any([woken.signal, signal]));
    } catch {
      // A full batch, or the end.
    } finally {
      this.#wake = undefined;
    }
  }

  #takeBatch(): readonly ExportedSpan[] {
    const batch = this.#queue.slice(0, MAX_BATCH);
    this.#queue = this.#queue.slice(MAX_BATCH);
    return batch;
  }

  async #sendWithRetries(batch: readonly ExportedSpan[]): Promise<void> {
    if (batch.length === 0) return;
    const { clock, signal, logger } = this.#ctx;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#send(batch, clock.deadline(CALL_MS, this.#ended.signal));
      } catch (error) {
        const isRetryable = RETRYABLE.has((error as GrpcError).code) && attempt < MAX_RETRIES && !signal.aborted;
        if (!isRetryable) {
          if (!signal.aborted) logger.error(error, 'Failed to export spans', { spans: batch.length });
          this.#dropped.inc({ reason: 'export_failed' }, batch.length);
          return;
        }
      }
      await clock.sleep(RETRY_MS * 2 ** attempt, signal).catch((error: unknown) => {
        if (!isAbort(error, signal)) throw error;
      });
    }
  }

  async #send(batch: readonly ExportedSpan[], signal: AbortSignal): Promise<void> {
    const { clock } = this.#ctx;
    const epoch = clock.now() - clock.monotonic();
    const request: ExportTraceServiceRequest = {
      resourceSpans: [
        {
          resource: { attributes: keyValues(this.#resource) },
          scopeSpans: [{ scope: { name: 'k8ts' }, spans: batch.map((span) => otlpSpan(span, epoch)) }],
        },
      ],
    };
    const { partialSuccess } = await this.#service.export(request, { signal });
    const rejected = partialSuccess?.rejectedSpans ?? 0;
    if (rejected > 0) this.#dropped.inc({ reason: 'export_failed' }, rejected);
    this.#exported.inc({}, batch.length - rejected);
  }
}
