/**
 * The slots of a ring of spans. Every write has the span of its request and of its commit, and almost none is ever read: so these two are
 * packed into columns when they end, and become objects when somebody reads them. That takes less memory and touches less of it than
 * an object for each, with its attributes and its boxed numbers.
 *
 *   types, sizes  of all spans, in columns of their own: dropping an old span reads these alone
 *   numbers       started, ended, parent, status or revision, dry run or deliveries
 *   texts         of an object: the object; of a packed span: what it has in common with others, and the texts that are its own
 */
import { KeptSpan, RequestSpan, SPAN_BYTES } from './kept-span.ts';
import type { Attributes, Commit } from './tracing.ts';

/** Of a slot. */
const NUMBERS = 5;
const STARTED = 0;
const ENDED = 1;
const PARENT = 2;
/** The status of a request, the revision of a commit. */
const RESULT = 3;
/** Whether a request was a dry run; how many watchers were told of a commit. */
const EXTRA = 4;

const OBJECT = 0;
const REQUEST = 1;
const COMMIT = 2;

const TEXTS = 6;
/** Of both: what is common, the namespace and the name of the object. */
const NAMESPACE = 1;
const NAME = 2;
/** Of a request. */
const PATH = 3;
const AUDIT_ID = 4;
const ERROR = 5;

/** Whoever sends a request about a resource sends more of them. */
interface CommonOfRequests {
  readonly method: Attributes[string];
  readonly user: Attributes[string];
  readonly verb: Attributes[string];
  readonly group: Attributes[string];
  readonly resource: Attributes[string];
  readonly subresource: Attributes[string];
  readonly flow: Attributes[string];
  readonly impersonator: Attributes[string];
}

type CommonOfCommits = Pick<Commit, 'operation' | 'group' | 'resource'>;

/** What a span counts for whose texts are of the usual length. */
const FEW_BYTES = SPAN_BYTES + 256;

/** Slots that the columns have at first. */
const FIRST_SLOTS = 1024;

export class SpanSlots {
  readonly capacity: number;
  #length: number;
  #numbers: Float64Array;
  readonly #types: Uint8Array;
  readonly #sizes: Uint32Array;
  readonly #texts: unknown[] = [];
  /** Those of the newest spans. */
  #requests: CommonOfRequests | undefined;
  #commits: CommonOfCommits | undefined;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#types = new Uint8Array(capacity);
    this.#sizes = new Uint32Array(capacity);
    this.#length = Math.min(capacity, FIRST_SLOTS);
    this.#numbers = new Float64Array(this.#length * NUMBERS);
  }

  /** Slots are used in their order: the columns grow by their end. */
  #grow(slot: number): void {
    if (slot >= this.#length) {
      this.#length = Math.min(this.capacity, this.#length * 2);
      const numbers = new Float64Array(this.#length * NUMBERS);
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
    while (this.#texts.length < (slot + 1) * TEXTS) this.#texts.push(undefined);
  }

  keep(slot: number, span: KeptSpan): void {
    if (this.#texts.length <= slot * TEXTS) this.#grow(slot);
    this.#types[slot] = OBJECT;
    this.#sizes[slot] = span.bytes;
    this.#texts[slot * TEXTS] = span;
  }

  /** The span of the slot is packed: its object may become another span. */
  packRequest(slot: number, span: RequestSpan, endedAt: number): void {
    const { attributes } = span;
    this.#types[slot] = REQUEST;
    const at = slot * NUMBERS;
    const numbers = this.#numbers;
    numbers[at + STARTED] = span.startedAt;
    numbers[at + ENDED] = endedAt;
    numbers[at + PARENT] = span.parent;
    numbers[at + RESULT] = attributes['http.response.status_code'] as number;
    numbers[at + EXTRA] = attributes['k8s.dry_run'] === true ? 1 : 0;
    const texts = this.#texts;
    const first = slot * TEXTS;
    texts[first] = this.#commonOfRequest(attributes);
    texts[first + NAMESPACE] = attributes['k8s.namespace.name'];
    texts[first + NAME] = attributes['k8s.object.name'];
    texts[first + PATH] = attributes['url.path'];
    texts[first + AUDIT_ID] = attributes['k8s.audit.id'];
    texts[first + ERROR] = span.error;
  }

  #commonOfRequest(attributes: Attributes): CommonOfRequests {
    const newest = this.#requests;
    if (
      newest !== undefined &&
      newest.user === attributes['user.name'] &&
      newest.verb === attributes['k8s.verb'] &&
      newest.resource === attributes['k8s.resource'] &&
      newest.group === attributes['k8s.group'] &&
      newest.subresource === attributes['k8s.subresource'] &&
      newest.method === attributes['http.request.method'] &&
      newest.flow === attributes['k8s.flowschema.uid'] &&
      newest.impersonator === attributes['k8s.impersonator']
    )
      return newest;
    return (this.#requests = {
      method: attributes['http.request.method'],
      user: attributes['user.name'],
      verb: attributes['k8s.verb'],
      group: attributes['k8s.group'],
      resource: attributes['k8s.resource'],
      subresource: attributes['k8s.subresource'],
      flow: attributes['k8s.flowschema.uid'],
      impersonator: attributes['k8s.impersonator'],
    });
  }

  packCommit(slot: number, commit: Commit, endedAt: number): void {
    if (this.#texts.length <= slot * TEXTS) this.#grow(slot);
    this.#types[slot] = COMMIT;
    this.#sizes[slot] = SPAN_BYTES;
    const at = slot * NUMBERS;
    const numbers = this.#numbers;
    numbers[at + STARTED] = commit.startedAt;
    numbers[at + ENDED] = endedAt;
    numbers[at + PARENT] = commit.parent;
    numbers[at + RESULT] = commit.revision;
    numbers[at + EXTRA] = commit.deliveries;
    const texts = this.#texts;
    const first = slot * TEXTS;
    texts[first] = this.#commonOfCommit(commit);
    texts[first + NAMESPACE] = commit.namespace;
    texts[first + NAME] = commit.name;
  }

  #commonOfCommit({ operation, group, resource }: Commit): CommonOfCommits {
    const newest = this.#commits;
    if (newest?.resource === resource && newest.group === group && newest.operation === operation) return newest;
    return (this.#commits = { operation, group, resource });
  }

  read(slot: number, id: number): KeptSpan {
    const type = this.#types[slot];
    if (type === OBJECT) return this.#texts[slot * TEXTS] as KeptSpan;
    const span = type === REQUEST ? this.#readRequest(slot) : this.#readCommit(slot);
    const at = slot * NUMBERS;
    span.begin(id, this.#numbers[at + STARTED]!, this.#numbers[at + PARENT]!);
    span.endedAt = this.#numbers[at + ENDED]!;
    if (type === REQUEST) span.error = this.#texts[slot * TEXTS + ERROR] as string | undefined;
    return span;
  }

  #readRequest(slot: number): KeptSpan {
    const span = new RequestSpan();
    const [of, namespace, name, path, auditId] = this.#textsOf(slot) as [CommonOfRequests, ...(string | undefined)[]];
    const { method, user, verb, group, resource, subresource, flow, impersonator } = of;
    const status = this.#numbers[slot * NUMBERS + RESULT]!;
    Object.assign(span.attributes, {
      'http.request.method': method,
      'url.path': path,
      'http.response.status_code': Number.isNaN(status) ? undefined : status,
      'user.name': user,
      'k8s.verb': verb,
      'k8s.group': group,
      'k8s.resource': resource,
      'k8s.subresource': subresource,
      'k8s.namespace.name': namespace,
      'k8s.object.name': name,
      'k8s.audit.id': auditId,
      'k8s.flowschema.uid': flow,
      'k8s.dry_run': this.#numbers[slot * NUMBERS + EXTRA] === 1 ? true : undefined,
      'k8s.impersonator': impersonator,
    });
    return span;
  }

  #readCommit(slot: number): KeptSpan {
    const [of, namespace, name] = this.#textsOf(slot) as [CommonOfCommits, string, string];
    const { operation, group, resource } = of;
    const attributes: Attributes = {
      'etcd.revision': this.#numbers[slot * NUMBERS + RESULT]!,
      'etcd.operation': operation,
      'k8s.group': group,
      'k8s.resource': resource,
      'k8s.namespace.name': namespace,
      'k8s.object.name': name,
      'k8s.watch.deliveries': this.#numbers[slot * NUMBERS + EXTRA]!,
    };
    return new KeptSpan(0, 'commit', 0, { attributes });
  }

  #textsOf(slot: number): unknown[] {
    return this.#texts.slice(slot * TEXTS, (slot + 1) * TEXTS);
  }

  /** Without making an object of it, which a search through all of them would take long for. */
  isCommitOf(slot: number, object: Pick<Commit, 'group' | 'resource' | 'namespace' | 'name'>): boolean {
    const first = slot * TEXTS;
    const texts = this.#texts;
    if (this.#types[slot] !== COMMIT || texts[first + NAME] !== object.name) return false;
    const { resource, group } = texts[first] as CommonOfCommits;
    return resource === object.resource && group === object.group && texts[first + NAMESPACE] === object.namespace;
  }

  /** What the span of a slot counted for. */
  bytesOf(slot: number): number {
    return this.#sizes[slot]!;
  }

  /** The object of a slot; undefined for a packed span. */
  objectOf(slot: number): KeptSpan | undefined {
    return this.#types[slot] === OBJECT ? (this.#texts[slot * TEXTS] as KeptSpan) : undefined;
  }

  /** Gives back what the span of a slot holds. Few bytes stay until the slot is used again: that is soon, and touches its memory once. */
  clear(slot: number): void {
    if (this.#types[slot] !== OBJECT && this.bytesOf(slot) <= FEW_BYTES) return;
    const texts = this.#texts;
    for (let at = slot * TEXTS, end = at + TEXTS; at < end; at++) texts[at] = undefined;
  }
}
