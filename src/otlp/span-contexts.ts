/**
 * Which trace a span belongs to, and whether it is exported: upstream's parent-based sampler. A span follows its parent,
 * which is the span that it is part of, or the first write that caused it; a span without one is sampled by ratio.
 */
import type { Random, ReadSpan, RemoteSpanContext, Span, SpanContext, SpanRing } from '../kernel/index.ts';
import { parseTraceparent } from '../kernel/index.ts';

const MILLION = 1_000_000;

export class SpanContexts {
  readonly #ring: SpanRing;
  readonly #random: Random;
  readonly #bound: bigint;
  readonly #contexts = new WeakMap<Span, SpanContext>();

  constructor(ring: SpanRing, random: Random, samplingRatePerMillion: number) {
    this.#ring = ring;
    this.#random = random;
    this.#bound = (BigInt(samplingRatePerMillion) * (1n << 63n)) / BigInt(MILLION);
  }

  /** Decided once, at the latest when a part of the span, or the span itself, ends. */
  of(span: Span): SpanContext {
    const known = this.#contexts.get(span);
    if (known) return known;
    const context = this.#decide(span);
    this.#contexts.set(span, context);
    return context;
  }

  ofRead({
    parent,
    traceparent,
    trustsCaller = false,
  }: ReadSpan): SpanContext & { links: readonly RemoteSpanContext[] } {
    const spanId = this.#hex(8);
    const local = this.#ring.span(parent);
    if (local) return { ...this.#childOf(this.of(local), spanId), links: [] };
    const caller = parseTraceparent(traceparent);
    if (caller && trustsCaller) return { ...this.#childOf(caller, spanId), links: [] };
    return { ...this.#root(spanId), links: caller ? [caller] : [] };
  }

  /** Further causes, and a caller that does not decide for us. */
  linksOf(span: Span): SpanContext[] {
    const [parent, ...others] = this.#causesOf(span);
    if (parent === undefined) return [];
    return (this.#follows(span, parent) ? others : [parent, ...others]).map((cause) => this.of(cause));
  }

  #decide(span: Span): SpanContext {
    const { remote } = span;
    if (remote) return { ...remote, parentSpanId: '' };
    const spanId = this.#ring.spanIdOf(span.id);
    const [parent] = this.#causesOf(span);
    if (parent === undefined || !this.#follows(span, parent)) return this.#root(spanId);
    return this.#childOf(this.of(parent), spanId);
  }

  #causesOf({ id, parent, causes }: Span): Span[] {
    const found = parent > 0 ? [this.#ring.span(parent)] : [];
    for (const cause of causes)
      found.push(typeof cause === 'number' ? this.#ring.commitOf(cause) : this.#ring.span(cause.span));
    return [...new Set(found)].filter((span) => span !== undefined && span.id < id) as Span[];
  }

  /** Only privileged callers from other processes decide about traces of this one. */
  #follows(span: Span, parent: Span): boolean {
    return parent.remote === undefined || span.trustsCaller === true;
  }

  #childOf({ traceId, spanId: parentSpanId, sampled }: RemoteSpanContext, spanId: string): SpanContext {
    return { traceId, spanId, parentSpanId, sampled };
  }

  #root(spanId: string): SpanContext {
    const traceId = this.#hex(16);
    return { traceId, spanId, parentSpanId: '', sampled: BigInt(`0x${traceId.slice(16)}`) >> 1n < this.#bound };
  }

  #hex(length: number): string {
    return Buffer.from(this.#random.bytes(length)).toString('hex');
  }
}
