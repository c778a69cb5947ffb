/** A trace as text: a tree with times, who wrote what, and what was refused. */
import type { RecordedSpan } from '../../kernel/index.ts';
import { isCommit, isRequest, isWork, revisionOfCommit, type Trace, type TraceCut, type TraceNode } from './trace.ts';

const MAX_TITLE_WIDTH = 90;

/** What a span is about, in a few words. */
export function spanTitle({ name, attributes }: RecordedSpan): string {
  const text = (key: string): string => String(attributes[key] ?? '');
  const key = text('k8s.key');
  if (name === 'schedule') {
    const node = text('k8s.node.name');
    return node === '' ? `schedule ${key}` : `schedule ${key} on ${node}`;
  }
  if (isNamed(attributes, 'k8s.key')) return `${name} ${key}`;
  const object = [text('k8s.namespace.name'), text('k8s.object.name')].filter((part) => part !== '').join('/');
  if (name === 'commit') return `${text('etcd.operation')} ${text('k8s.resource')} ${object}`.trim();
  return object === '' ? name : `${name} ${object}`;
}

const isNamed = (attributes: RecordedSpan['attributes'], key: string): boolean =>
  typeof attributes[key] === 'string' && attributes[key] !== '';

/** The lines of a trace, and a last one that counts and says what waits. */
export function traceText(trace: Trace & { readonly waiting?: readonly string[] }): string {
  const lines: Line[] = [];
  writeNode(lines, trace.root, { trace, first: '', rest: '' });
  const width = Math.min(MAX_TITLE_WIDTH, Math.max(...lines.map(({ title }) => title.length)));
  const text = lines.map(({ title, details }) => `${title.padEnd(width)}  ${details}`.trimEnd());
  return `${[...text, '', ...trace.cuts.map(cutText), summary(trace, trace.waiting ?? [])].join('\n')}\n`;
}

/** Controllers of others send no trace context. */
const cutText = ({ user, requests, writes }: TraceCut): string =>
  `cut at ${user.replace(CONTROLLERS, '')}: ${plural(writes, 'write')} to objects of this trace (${requests.join(', ')}) did not say their cause; what follows from them is not shown`;

interface Line {
  readonly title: string;
  readonly details: string;
}

interface Position {
  readonly trace: Trace;
  /** What comes before the node's own line, and before those below it. */
  readonly first: string;
  readonly rest: string;
}

function writeNode(lines: Line[], node: TraceNode, { trace, first, rest }: Position): void {
  const { commits, others } = partsOf(node);
  const title = `${first}${titleWithCommits(node.span, commits)}`;
  lines.push({ title, details: detailsOf(node, commits, trace) });
  // What a commit caused stands below the request: a commit has no line of its own.
  const below = [...others, ...commits.flatMap(({ children }) => children)].filter((child) => !hadNothingToDo(child));
  below.forEach((child, i) => {
    const last = i === below.length - 1;
    writeNode(lines, child, {
      trace,
      first: `${rest}${last ? '└─ ' : '├─ '}`,
      rest: `${rest}${last ? '   ' : '│  '}`,
    });
  });
}

/** A reconcile that wrote nothing: its parent names it. */
const hadNothingToDo = ({ span, children }: TraceNode): boolean =>
  isWork(span) && children.length === 0 && span.error === undefined && span.endedAt !== undefined;

const idleWork = (children: readonly TraceNode[]): string[] => [
  ...new Set(children.filter(hadNothingToDo).map(({ span }) => String(span.attributes['k8s.controller']))),
];

function partsOf({ span, children }: TraceNode): { commits: TraceNode[]; others: TraceNode[] } {
  if (!isRequest(span)) return { commits: [], others: [...children] };
  return {
    commits: children.filter((child) => isCommit(child.span)),
    others: children.filter((child) => !isCommit(child.span)),
  };
}

/** A created object's name is known by its commit. */
function titleWithCommits(span: RecordedSpan, commits: readonly TraceNode[]): string {
  const { attributes } = span;
  // A Service's request also writes its IPAddress, first.
  const own = commits.find((commit) => commit.span.attributes['k8s.resource'] === attributes['k8s.resource']);
  if (attributes['k8s.object.name'] || !own) return spanTitle(span);
  return spanTitle({
    ...span,
    attributes: { ...attributes, 'k8s.object.name': own.span.attributes['k8s.object.name'] },
  });
}

function detailsOf(node: TraceNode, commits: readonly TraceNode[], { startedAt }: Trace): string {
  const { span, alsoCausedBy, children } = node;
  const { attributes, endedAt } = span;
  const took = endedAt === undefined ? (span.isRemote ? '' : 'not ended') : duration(endedAt - span.startedAt);
  const revisions = commits.map((commit) => revisionOfCommit(commit.span)).join(', ');
  const inside = alsoCausedBy.filter(({ outside }) => !outside).length;
  const outside = alsoCausedBy.length - inside;
  const idle = idleWork([...children, ...commits.flatMap((commit) => commit.children)]);
  return [
    `+${duration(span.parent === 0 && span.isRemote ? 0 : span.startedAt - startedAt)}`,
    took,
    isRequest(span) ? String(attributes['http.response.status_code'] ?? '') : '',
    revisions === '' ? '' : `rev ${revisions}`,
    isRequest(span) ? `by ${String(attributes['user.name'] ?? '').replace(CONTROLLERS, '')}` : '',
    inside > 0 ? `(and ${plural(inside, 'more write')} above)` : '',
    outside > 0 ? `(and ${plural(outside, 'write')} of others)` : '',
    idle.length > 0 ? `seen by ${idle.join(', ')}` : '',
    span.error === undefined ? '' : `! ${span.error}`,
  ]
    .filter((part) => part !== '')
    .join('  ');
}

/** The controllers' accounts are known by their names. */
const CONTROLLERS = /^system:serviceaccount:kube-system:/;

function duration(ms: number): string {
  if (ms < 100) return `${ms.toFixed(1)}ms`;
  return ms < 10_000 ? `${Math.round(ms)}ms` : `${(ms / 1000).toFixed(1)}s`;
}

function summary({ counts, startedAt, settledAt, open, failing }: Trace, waiting: readonly string[]): string {
  const counted = [
    plural(counts.writes, 'write'),
    ...(counts.refusals > 0 ? [plural(counts.refusals, 'refusal')] : []),
    plural(counts.reconciles, 'reconcile'),
    plural(counts.deliveries, 'watch delivery', 'watch deliveries'),
  ].join(', ');
  const left = [
    ...open.filter((span) => isWork(span) || isRequest(span)).map((span) => `${spanTitle(span)} (not ended)`),
    ...failing.map((span) => `${spanTitle(span)} (${span.error})`),
    ...waiting,
  ];
  const settled = `settled after ${duration(settledAt - startedAt)}`;
  return left.length === 0
    ? `${counted}; ${settled}; nothing waits`
    : `${counted}; ${settled}; waiting: ${[...new Set(left)].join('; ')}`;
}

const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
