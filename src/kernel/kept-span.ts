/** Spans as objects: those that last, and those that are read. */
import type { Attributes, Cause, RemoteSpanContext, Span, SpanStart } from './tracing.ts';

/** A span, its attributes and its share of the maps, as measured. */
export const SPAN_BYTES = 400;
const CAUSE_BYTES = 16;

const NONE: readonly never[] = [];

/** All fields from the beginning: what is added to an object later is kept outside of it. */
export class KeptSpan implements Span {
  id: number;
  readonly #name: string;
  startedAt: number;
  /** NaN while it lasts: a field that is always a number holds it without a box. */
  #endedAt = Number.NaN;
  parent: number;
  readonly causes: readonly Cause[];
  readonly attributes: Attributes;
  error: string | undefined = undefined;
  remote: RemoteSpanContext | undefined = undefined;
  trustsCaller: boolean | undefined = undefined;
  isHeld = false;
  /** Attributes may follow until a span ends: what it counted for at its start is what is given back. */
  bytes: number;

  constructor(id: number, name: string, startedAt: number, { parent = 0, causes = NONE, attributes = {} }: SpanStart) {
    this.id = id;
    this.#name = name;
    this.startedAt = startedAt;
    this.parent = parent;
    this.causes = causes;
    this.attributes = attributes;
    this.bytes = sizeOf(causes, attributes);
  }

  get name(): string {
    return this.#name;
  }

  get endedAt(): number | undefined {
    return Number.isNaN(this.#endedAt) ? undefined : this.#endedAt;
  }

  set endedAt(time: number | undefined) {
    this.#endedAt = time ?? Number.NaN;
  }

  /** As another span, without its attributes. */
  begin(id: number, startedAt: number, parent: number): void {
    this.id = id;
    this.startedAt = startedAt;
    this.#endedAt = Number.NaN;
    this.parent = parent;
    this.error = undefined;
    this.bytes = SPAN_BYTES;
  }
}

/** Of a request that may write. */
export class RequestSpan extends KeptSpan {
  constructor() {
    // In the order in which they are shown.
    const attributes: Attributes = {
      'http.request.method': undefined,
      'url.path': undefined,
      'http.response.status_code': undefined,
      'user.name': undefined,
      'k8s.verb': undefined,
      'k8s.group': undefined,
      'k8s.resource': undefined,
      'k8s.subresource': undefined,
      'k8s.namespace.name': undefined,
      'k8s.object.name': undefined,
      'k8s.audit.id': undefined,
      'k8s.flowschema.uid': undefined,
      'k8s.dry_run': undefined,
      'k8s.impersonator': undefined,
    };
    super(0, '', 0.5, { attributes });
  }

  override get name(): string {
    const { 'k8s.verb': verb, 'k8s.resource': resource, 'k8s.subresource': subresource } = this.attributes;
    return [[verb, resource].filter(Boolean).join(' '), subresource].filter(Boolean).join('/');
  }

  reset(path: string): void {
    this.bytes += path.length;
    const { attributes } = this;
    attributes['url.path'] = path;
    attributes['http.response.status_code'] = undefined;
    attributes['user.name'] = undefined;
    attributes['k8s.flowschema.uid'] = undefined;
    attributes['k8s.dry_run'] = undefined;
    attributes['k8s.impersonator'] = undefined;
  }
}

/** What is not shared with other spans: its slots, and the texts that are its own. */
function sizeOf(causes: readonly Cause[], attributes: Attributes): number {
  return SPAN_BYTES + causes.length * CAUSE_BYTES + lengthOf(attributes['url.path']) + lengthOf(attributes['k8s.key']);
}

const lengthOf = (value: Attributes[string]): number => (typeof value === 'string' ? value.length : 0);
