/** What a write caused, from the spans that an API server of ours records. */
import { T } from '../texts.ts';
import { api } from './request.ts';

export interface Span {
  readonly id: number;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly error?: string;
  readonly isRemote?: boolean;
}

export interface TraceNode {
  readonly span: Span;
  readonly children: readonly TraceNode[];
}

export interface Trace {
  readonly root: TraceNode;
  readonly size: number;
  readonly startedAt: number;
  readonly settledAt: number;
  readonly counts: {
    readonly writes: number;
    readonly refusals: number;
    readonly reconciles: number;
    readonly deliveries: number;
  };
  readonly open: readonly unknown[];
}

const ROOT = '/apis/glass.k8ts.dev/v1alpha1';
const scope = (namespace: string): string =>
  namespace === '' ? ROOT : `${ROOT}/namespaces/${encodeURIComponent(namespace)}`;

interface RootList {
  readonly metadata: { readonly resourceVersion?: string };
  readonly items: readonly { readonly span: Span }[];
}

const MAX_ROOTS = 500;

/** The newest requests that began a trace. Components renew leases and report states all the time: they are left out at the server. */
export class NewestRoots {
  readonly #path: string;
  readonly #components: boolean;
  readonly #roots = new Map<number, Span>();
  #since = 0;

  constructor({ namespace, components }: { readonly namespace: string; readonly components: boolean }) {
    this.#path = `${scope(namespace)}/traces`;
    this.#components = components;
  }

  /** The newest first. Only what is new is read. */
  async read(signal: AbortSignal): Promise<readonly Span[]> {
    const query = new URLSearchParams({
      since: String(this.#since),
      ...(this.#components ? {} : { components: 'false' }),
    });
    const { metadata, items } = await api<RootList>(`${this.#path}?${query.toString()}`, { signal });
    for (const { span } of items) this.#roots.set(span.id, span);
    const newest = [...this.#roots.values()].sort((a, b) => b.id - a.id).slice(0, MAX_ROOTS);
    this.#roots.clear();
    for (const span of newest) this.#roots.set(span.id, span);
    // What has not ended is read again.
    const open = newest.filter(({ endedAt }) => endedAt === undefined).map(({ id }) => id);
    this.#since = Math.min(Number(metadata.resourceVersion ?? 0), ...open);
    return newest;
  }
}

export async function readTrace(
  id: string,
  { namespace, signal }: { namespace: string; signal: AbortSignal },
): Promise<Trace> {
  const path = `${scope(namespace)}/traces/${encodeURIComponent(id)}`;
  return (await api<{ trace: Trace }>(path, { signal })).trace;
}

export const isRequest = ({ attributes }: Span): boolean => 'http.request.method' in attributes;
export const isCommit = ({ name }: Span): boolean => name === 'commit';
export const isWork = ({ attributes }: Span): boolean => 'k8s.controller' in attributes;

export const textOf = ({ attributes }: Span, key: string): string => String(attributes[key] ?? '');

/** What a span is about, in a few words. */
export function titleOf(span: Span, commits: readonly TraceNode[] = []): string {
  const key = textOf(span, 'k8s.key');
  if (key !== '') return `${span.name} ${key}`;
  // The server chose the name of a created object, so only the commit knows it.
  const named = textOf(span, 'k8s.object.name') || (commits[0] ? textOf(commits[0].span, 'k8s.object.name') : '');
  const object = [textOf(span, 'k8s.namespace.name'), named].filter((part) => part !== '').join('/');
  if (isCommit(span)) return `${textOf(span, 'etcd.operation')} ${textOf(span, 'k8s.resource')} ${object}`;
  return object === '' ? span.name : `${span.name} ${object}`;
}

export const userOf = (span: Span): string =>
  textOf(span, 'user.name').replace(/^system:(?:serviceaccount:kube-system:)?/, '');

const MAX_FILE_SPANS = 5000;
const MAX_DEPTH = 500;

/** A trace from a file: a saved one, or what `k8ts trace -o json` prints. Throws for anything else. */
export function parseTrace(text: string): Trace {
  const parsed = JSON.parse(text) as { trace?: Trace } & Trace;
  const trace = parsed.trace ?? parsed;
  let size = 0;
  const checked = (node: unknown, depth: number): TraceNode => {
    const { span, children } = (node ?? {}) as Partial<TraceNode>;
    const isSpan =
      typeof span?.id === 'number' &&
      typeof span.name === 'string' &&
      Number.isFinite(span.startedAt) &&
      typeof span.attributes === 'object' &&
      span.attributes !== null;
    if (!isSpan || !Array.isArray(children) || depth > MAX_DEPTH || ++size > MAX_FILE_SPANS)
      throw new Error(T.trace.notATrace);
    return { span, children: children.map((child) => checked(child, depth + 1)) };
  };
  const root = checked(trace.root, 0);
  const spans = flat(root).map(({ node }) => node.span);
  const count = (is: (span: Span) => boolean): number => spans.filter(is).length;
  return {
    root,
    size,
    startedAt: Math.min(...spans.map(({ startedAt }) => startedAt)),
    settledAt: Math.max(...spans.map(({ startedAt, endedAt }) => Number(endedAt ?? startedAt))),
    counts: {
      writes: count(isCommit),
      refusals: count((span) => isRequest(span) && span.error !== undefined),
      reconciles: count(isWork),
      deliveries: spans.reduce((sum, { attributes }) => sum + Number(attributes['k8s.watch.deliveries'] ?? 0), 0),
    },
    open: [],
  };
}

interface FlatNode {
  readonly node: TraceNode;
  readonly depth: number;
}

/** The tree line by line. */
export function flat(root: TraceNode): FlatNode[] {
  const lines: FlatNode[] = [];
  const add = (node: TraceNode, depth: number): void => {
    lines.push({ node, depth });
    for (const child of node.children) add(child, depth + 1);
  };
  add(root, 0);
  return lines;
}

export function milliseconds(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(ms < 10_000 ? 2 : 1))} s`;
}
