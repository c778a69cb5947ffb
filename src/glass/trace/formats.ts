/** A trace for other programs: OTLP in JSON, and a Mermaid flowchart. */
import { keyValues, SPAN_KINDS, STATUS_ERROR } from '../../otlp/index.ts';
import { spanTitle } from './text.ts';
import { isCommit, isRequest, spansOf, type Trace, type TraceNode } from './trace.ts';

/** An ExportTraceServiceRequest of OpenTelemetry, in its JSON form: one trace, further causes as links. */
export const traceOtlp = (trace: Trace): object => tracesOtlp([trace]);

/** The same of several traces; a span that is in more than one belongs to the first. */
export function tracesOtlp(traces: Iterable<Trace>): object {
  const spans: object[] = [];
  const known = new Set<number>();
  for (const trace of traces) addSpans(spans, known, trace);
  const resource = { attributes: keyValues({ 'service.name': 'k8ts' }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'k8ts.dev/glass' }, spans }] }] };
}

function addSpans(spans: object[], known: Set<number>, trace: Trace): void {
  const { traceId } = trace.root.span;
  const byId = new Map(spansOf(trace.root).map((span) => [span.id, span]));
  const add = ({ span, children, alsoCausedBy }: TraceNode, parentSpanId: string): void => {
    if (known.has(span.id)) return;
    known.add(span.id);
    spans.push({
      traceId,
      spanId: span.spanId,
      ...(parentSpanId === '' ? {} : { parentSpanId }),
      name: span.name,
      kind: isRequest(span) ? SPAN_KINDS.server : SPAN_KINDS.internal,
      startTimeUnixNano: nanoseconds(span.startedAt),
      endTimeUnixNano: nanoseconds(span.endedAt ?? span.startedAt),
      attributes: keyValues(span.attributes),
      links: alsoCausedBy.flatMap((link) => {
        const linked = byId.get(link.span);
        return linked ? [{ traceId, spanId: linked.spanId }] : [];
      }),
      status: span.error === undefined ? {} : { code: STATUS_ERROR, message: span.error },
    });
    for (const child of children) add(child, span.spanId);
  };
  add(trace.root, '');
}

const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n);

/** A flowchart: what each request and reconcile caused. */
export function traceMermaid(trace: Trace): string {
  const lines = ['flowchart TD'];
  const add = (node: TraceNode, from: number | undefined): void => {
    const { span, children } = node;
    // A commit is part of its request.
    const id = isCommit(span) && from !== undefined ? from : span.id;
    if (id === span.id) {
      const label = spanTitle(span).replaceAll('"', '#quot;');
      lines.push(`  s${id}${isRequest(span) ? `["${label}"]` : `(["${label}"])`}`);
      if (from !== undefined) lines.push(`  s${from} --> s${id}`);
      if (span.error !== undefined) lines.push(`  style s${id} stroke:#c00`);
    }
    for (const child of children) add(child, id);
  };
  add(trace.root, undefined);
  return `${lines.join('\n')}\n`;
}
