/**
 * Explains scheduling decisions: for every attempt, the Filter result of each node, the scores of the best nodes by
 * plugin, and for pending pods what would help. A bounded ring of compact records, which become explanations when they
 * are requested.
 */
import type { Pod } from '../../api/generated/core-v1.ts';
import type { ScoredNode } from '../evaluation/score-board.ts';
import type { Status } from '../framework/status.ts';
import type { Fit } from './fit.ts';

export type Outcome = 'scheduled' | 'unschedulable' | 'error' | 'nominated';

/** The record of one attempt. */
export interface Attempt {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly schedulerName: string;
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly nodeName: string;
  readonly message: string;
  /** Node names by slot, shared by attempts. */
  readonly nodeNames: readonly (string | undefined)[];
  /** Filter results by slot: 0 no node, 1 fits, n + 2 the status n. */
  readonly codes: Uint16Array;
  readonly statuses: readonly Status[];
  /** The Filter plugins in the order of their calls. */
  readonly filters: readonly string[];
  readonly scored: readonly ScoredNode[];
  readonly preFilter: Status | undefined;
}

interface NodeExplanation {
  readonly node: string;
  readonly fits: boolean;
  readonly filters: readonly {
    readonly plugin: string;
    readonly result: 'pass' | 'fail' | 'not asked';
    readonly reasons?: readonly string[];
  }[];
  /** Weighted scores by plugin, of the best nodes only. */
  readonly scores?: Readonly<Record<string, number>>;
  readonly total?: number;
}

export interface Explanation {
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly schedulerName: string;
  readonly attempt: number;
  readonly time: string;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly node: string;
  readonly message: string;
  readonly feasibleNodes: number;
  readonly totalNodes: number;
  readonly nodes: readonly NodeExplanation[];
  readonly whatWouldHelp: readonly string[];
}

interface ExplanationsOptions {
  readonly maxAttempts?: number;
  /** Filter results take 2 bytes for each node and attempt. */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_ATTEMPTS = 2_000;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
const ENTRY_BYTES = 1024;

export class Explanations {
  readonly #maxAttempts: number;
  readonly #maxBytes: number;
  readonly #ring: (Attempt | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  readonly #byUid = new Map<string, Attempt>();
  readonly #uidOf = new Map<string, string>();
  /** Set by a running scheduler: what would help a pending pod. */
  advise: ((uid: string) => readonly string[]) | undefined;
  /** Set by a running scheduler: whether a pod that does not exist would fit. */
  wouldFit: ((pod: Pod) => Fit) | undefined;

  constructor(options: ExplanationsOptions = {}) {
    this.#maxAttempts = options.maxAttempts ?? DEFAULT_MAX_ATTEMPTS;
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  }

  get size(): number {
    return this.#ring.length - this.#head;
  }

  record(attempt: Attempt): void {
    this.#ring.push(attempt);
    this.#bytes += sizeOf(attempt);
    this.#byUid.set(attempt.uid, attempt);
    this.#uidOf.set(`${attempt.namespace}/${attempt.name}`, attempt.uid);
    while (this.size > this.#maxAttempts || (this.#bytes > this.#maxBytes && this.size > 1)) this.#dropOldest();
    if (this.#head <= this.#maxAttempts) return;
    this.#ring.splice(0, this.#head);
    this.#head = 0;
  }

  /** Explains the last attempt of a pod, given by uid or `namespace/name`. */
  explanationOf(pod: string): Explanation | undefined {
    const uid = this.#byUid.has(pod) ? pod : this.#uidOf.get(pod);
    const attempt = uid === undefined ? undefined : this.#byUid.get(uid);
    return attempt && toExplanation(attempt, attempt.outcome === 'scheduled' ? [] : (this.advise?.(attempt.uid) ?? []));
  }

  /** The latest attempts, newest first, without their nodes. */
  recent(limit = 50): Omit<Explanation, 'nodes' | 'whatWouldHelp'>[] {
    return this.#ring
      .slice(Math.max(this.#head, this.#ring.length - limit))
      .reverse()
      .map((attempt) => summary(attempt!));
  }

  #dropOldest(): void {
    const oldest = this.#ring[this.#head]!;
    this.#ring[this.#head++] = undefined;
    this.#bytes -= sizeOf(oldest);
    if (this.#byUid.get(oldest.uid) !== oldest) return;
    this.#byUid.delete(oldest.uid);
    const key = `${oldest.namespace}/${oldest.name}`;
    if (this.#uidOf.get(key) === oldest.uid) this.#uidOf.delete(key);
  }
}

const sizeOf = (attempt: Attempt): number => attempt.codes.byteLength + ENTRY_BYTES;

function summary(attempt: Attempt): Omit<Explanation, 'nodes' | 'whatWouldHelp'> {
  const { uid, namespace, name, schedulerName, outcome, nodeName, message, codes } = attempt;
  let feasibleNodes = 0;
  let totalNodes = 0;
  for (const code of codes) {
    if (code === 1) feasibleNodes++;
    if (code > 0) totalNodes++;
  }
  const time = new Date(attempt.at).toISOString();
  return {
    pod: { namespace, name, uid },
    schedulerName,
    attempt: attempt.attempt,
    time,
    durationMs: attempt.durationMs,
    outcome,
    node: nodeName,
    message,
    feasibleNodes,
    totalNodes,
  };
}

function toExplanation(attempt: Attempt, whatWouldHelp: readonly string[]): Explanation {
  const nodes: NodeExplanation[] = [];
  attempt.nodeNames.forEach((node, slot) => {
    // For a nominated pod, only the nominated node was evaluated.
    const notEvaluated = attempt.outcome === 'scheduled' && node === attempt.nodeName ? 1 : 0;
    if (node !== undefined) nodes.push(explainNode(attempt, node, attempt.codes[slot] ?? notEvaluated));
  });
  const scored = new Map(attempt.scored.map((s) => [s.node.name, s]));
  const explained = nodes.map((n) => {
    const scores = scored.get(n.node);
    return scores === undefined ? n : { ...n, scores: scores.scores, total: scores.total };
  });
  explained.sort(
    (a, b) =>
      Number(b.node === attempt.nodeName) - Number(a.node === attempt.nodeName) ||
      (b.total ?? -1) - (a.total ?? -1) ||
      (a.node < b.node ? -1 : 1),
  );
  return { ...summary(attempt), nodes: explained, whatWouldHelp };
}

function explainNode({ statuses, filters, preFilter }: Attempt, node: string, code: number): NodeExplanation {
  const status = preFilter ?? (code < 2 ? undefined : statuses[code - 2]);
  const failing = status === undefined ? -1 : filters.indexOf(status.plugin);
  if (status !== undefined && failing < 0)
    return { node, fits: false, filters: [{ plugin: status.plugin, result: 'fail', reasons: status.reasons }] };
  return {
    node,
    fits: code === 1,
    filters: filters.map((plugin, i) => {
      if (failing >= 0 && i === failing) return { plugin, result: 'fail' as const, reasons: status!.reasons };
      return { plugin, result: code === 1 || i < failing ? ('pass' as const) : ('not asked' as const) };
    }),
  };
}
