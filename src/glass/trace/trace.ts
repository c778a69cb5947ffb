/** What a write caused: the spans that follow from it, as a tree. */
import type { RecordedSpan } from '../../kernel/index.ts';

export interface TraceNode {
  readonly span: RecordedSpan;
  readonly children: readonly TraceNode[];
  /** Further causes, as spans: links, because a tree has one parent. `outside`: not part of this trace. */
  readonly alsoCausedBy: readonly { readonly span: number; readonly outside: boolean }[];
}

export interface TraceCounts {
  readonly writes: number;
  readonly refusals: number;
  readonly reconciles: number;
  readonly deliveries: number;
}

export interface Trace {
  readonly root: TraceNode;
  readonly counts: TraceCounts;
  /** How many spans it has. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The end of the last span. */
  readonly settledAt: number;
  /** Spans that last still. */
  readonly open: readonly RecordedSpan[];
  /** What tried and failed last, and will try again. */
  readonly failing: readonly RecordedSpan[];
  /** Writes to objects of the trace whose cause is not known: a component that sends no trace context has made them. */
  readonly cuts: readonly TraceCut[];
}

export interface TraceCut {
  readonly user: string;
  /** Such as `create pods/binding`. */
  readonly requests: readonly string[];
  readonly writes: number;
}

/** A request that may write. */
export const isRequest = (span: RecordedSpan): boolean => 'http.request.method' in span.attributes;
export const isCommit = (span: RecordedSpan): boolean => span.name === 'commit';
/** A reconcile, a scheduling attempt, a kubelet's sync. */
export const isWork = (span: RecordedSpan): boolean => 'k8s.controller' in span.attributes;

export function revisionOfCommit(span: RecordedSpan): number | undefined {
  const revision = span.attributes['etcd.revision'];
  return isCommit(span) && typeof revision === 'number' ? revision : undefined;
}

/** The trace of one span; undefined when it is no longer recorded. */
export function traceOf(spans: readonly RecordedSpan[], root: number): Trace | undefined {
  const index = new SpanIndex(spans);
  const first = index.span(root);
  if (!first) return undefined;
  const trace = traceFrom(first, index);
  return { ...trace, cuts: cutsOf(spans, spansOf(trace.root), index) };
}

/** Every trace, in the order of their start. A span with several causes may be in several. */
export function* tracesOf(spans: readonly RecordedSpan[]): Generator<Trace> {
  const index = new SpanIndex(spans);
  for (const span of spans) if (!index.hasCause(span)) yield { ...traceFrom(span, index), cuts: [] };
}

/** All spans of a tree, in the order of their start. */
export function spansOf(root: TraceNode): RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  const collect = ({ span, children }: TraceNode): void => {
    spans.push(span);
    children.forEach(collect);
  };
  collect(root);
  return spans.sort((a, b) => a.id - b.id);
}

function traceFrom(first: RecordedSpan, index: SpanIndex): Omit<Trace, 'cuts'> {
  const root = first.id;
  const members = index.reachableFrom(first);
  const ofTree = [...members].map((id) => index.span(id)!).sort((a, b) => a.id - b.id);
  const children = new Map<number, RecordedSpan[]>();
  const links = new Map<number, TraceNode['alsoCausedBy']>();
  for (const span of ofTree) {
    if (span.id === root) continue;
    const [parent, ...others] = index.causesOf(span, members);
    if (parent === undefined) continue;
    const siblings = children.get(parent.span);
    if (siblings) siblings.push(span);
    else children.set(parent.span, [span]);
    if (others.length > 0) links.set(span.id, others);
  }
  const nodeOf = (span: RecordedSpan): TraceNode => ({
    span,
    children: (children.get(span.id) ?? []).sort(byStart).map(nodeOf),
    alsoCausedBy: links.get(span.id) ?? [],
  });
  return {
    root: nodeOf(first),
    counts: countsOf(ofTree),
    size: ofTree.length,
    // The span of another process is recorded with its first request.
    startedAt: Math.min(...ofTree.map(({ startedAt }) => startedAt)),
    settledAt: Math.max(first.startedAt, ...ofTree.map(({ startedAt, endedAt }) => endedAt ?? startedAt)),
    open: ofTree.filter(({ endedAt, isRemote }) => endedAt === undefined && !isRemote),
    failing: failingIn(ofTree),
  };
}

const byStart = (a: RecordedSpan, b: RecordedSpan): number => a.startedAt - b.startedAt || a.id - b.id;

function countsOf(spans: readonly RecordedSpan[]): TraceCounts {
  let [writes, refusals, reconciles, deliveries] = [0, 0, 0, 0];
  for (const span of spans) {
    if (isCommit(span)) {
      writes++;
      deliveries += Number(span.attributes['k8s.watch.deliveries'] ?? 0);
    } else if (isRequest(span) && span.error !== undefined) refusals++;
    else if (isWork(span)) reconciles++;
  }
  return { writes, refusals, reconciles, deliveries };
}

/** Of the work on one key, the last try counts. */
function failingIn(spans: readonly RecordedSpan[]): RecordedSpan[] {
  const last = new Map<string, RecordedSpan>();
  for (const span of spans) if (isWork(span)) last.set(`${span.name} ${span.attributes['k8s.key']}`, span);
  return [...last.values()].filter(({ error }) => error !== undefined);
}

function objectOf({ attributes }: RecordedSpan): string {
  const { 'k8s.group': group, 'k8s.resource': resource } = attributes;
  return [group, resource, attributes['k8s.namespace.name'], attributes['k8s.object.name']].join('/');
}

/** What is written later to objects of the trace, and says nothing of its cause. */
function cutsOf(spans: readonly RecordedSpan[], ofTree: readonly RecordedSpan[], index: SpanIndex): TraceCut[] {
  const objects = new Set(ofTree.filter(isCommit).map(objectOf));
  const members = new Set(ofTree.map(({ id }) => id));
  const byUser = new Map<string, { requests: Set<string>; writes: number }>();
  for (const span of spans) {
    const request = isCommit(span) && !members.has(span.id) ? index.span(span.parent) : undefined;
    if (!request || request.parent !== 0 || request.causes.length > 0 || request.id < (ofTree[0]?.id ?? 0)) continue;
    if (!objects.has(objectOf(span))) continue;
    const user = String(request.attributes['user.name'] ?? '');
    const cut = byUser.get(user) ?? { requests: new Set<string>(), writes: 0 };
    cut.requests.add(request.name);
    cut.writes++;
    byUser.set(user, cut);
  }
  return [...byUser].map(([user, { requests, writes }]) => ({ user, requests: [...requests].sort(), writes }));
}

class SpanIndex {
  readonly #byId = new Map<number, RecordedSpan>();
  readonly #commits = new Map<number, RecordedSpan>();
  /** What a span led to: its parts, and the work that saw what it wrote. */
  readonly #effects = new Map<number, RecordedSpan[]>();
  readonly #causes = new Map<number, number[]>();

  constructor(spans: readonly RecordedSpan[]) {
    for (const span of spans) {
      this.#byId.set(span.id, span);
      const revision = revisionOfCommit(span);
      if (revision !== undefined) this.#commits.set(revision, span);
    }
    for (const span of spans) {
      const causes = this.#directCauses(span);
      this.#causes.set(span.id, causes);
      for (const cause of causes) {
        const effects = this.#effects.get(cause);
        if (effects) effects.push(span);
        else this.#effects.set(cause, [span]);
      }
    }
  }

  span(id: number): RecordedSpan | undefined {
    return this.#byId.get(id);
  }

  /** Whether one of its causes is still recorded. */
  hasCause(span: RecordedSpan): boolean {
    return (this.#causes.get(span.id) ?? []).some((cause) => this.#byId.has(cause));
  }

  reachableFrom(root: RecordedSpan): ReadonlySet<number> {
    const members = new Set([root.id]);
    const waiting = [root.id];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      for (const effect of this.#effects.get(id) ?? []) {
        if (members.has(effect.id)) continue;
        members.add(effect.id);
        waiting.push(effect.id);
      }
    }
    return members;
  }

  /** Those of the trace first: the first of them is the parent. */
  causesOf(span: RecordedSpan, members: ReadonlySet<number>): { span: number; outside: boolean }[] {
    const causes = this.#causes.get(span.id) ?? [];
    return [
      ...causes.filter((cause) => members.has(cause)).map((cause) => ({ span: cause, outside: false })),
      ...causes.filter((cause) => !members.has(cause)).map((cause) => ({ span: cause, outside: true })),
    ];
  }

  #directCauses({ id, parent, causes }: RecordedSpan): number[] {
    const direct = parent > 0 ? [parent] : [];
    for (const cause of causes) {
      const span = typeof cause === 'number' ? this.#commits.get(cause)?.id : cause.span;
      // A span cannot be caused by a later one of its own making: revisions are unique, and so are ids.
      if (span !== undefined && span !== id && !direct.includes(span)) direct.push(span);
    }
    return direct;
  }
}
