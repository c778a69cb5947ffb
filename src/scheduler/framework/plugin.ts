/**
 * The scheduling framework: what a plugin may implement. A plugin is an object with a name and any of the extension
 * points; the framework calls, for each pod and in this order,
 *
 *   PreEnqueue → (queue) → PreFilter → Filter → PostFilter when nothing fits → PreScore → Score, normalised →
 *   Reserve → Permit → PreBind → Bind → PostBind
 *
 * Everything up to Reserve is synchronous: a decision is made on one state of the cluster. Waiting in Permit,
 * PreBind and Bind talk to the API server, so they are asynchronous and run beside the next attempts.
 */
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { ClusterEvent, EventResource } from './cluster-event.ts';
import type { CycleState } from './cycle-state.ts';
import type { Status } from './status.ts';

export const MAX_NODE_SCORE = 100;

/** The names of extension points in metrics. */
export type ExtensionPointName =
  | 'PreFilter'
  | 'Filter'
  | 'PostFilter'
  | 'PreScore'
  | 'Score'
  | 'Reserve'
  | 'Unreserve'
  | 'Permit'
  | 'PreBind'
  | 'Bind'
  | 'PostBind';

export interface ClusterEventWithHint {
  readonly resource: EventResource;
  /** Bits of `Action`. */
  readonly action: number;
  /**
   * The queueing hint: whether this change could make the pod schedulable. Without a hint, any such event can. `before`
   * is undefined for an addition, `after` for a deletion.
   */
  readonly hint?: (pod: PodInfo, before: unknown, after: unknown, clusterEvent: ClusterEvent) => boolean;
}

interface PreFilterResult {
  /** Only these nodes can be feasible; all when absent. */
  readonly nodeNames?: ReadonlySet<string>;
}

export interface PostFilterResult {
  readonly status: Status | undefined;
  /** The node where preemption makes room; an empty string clears an earlier nomination. */
  readonly nominatedNodeName?: string;
}

/** Collects the nodes that have to be filtered again after a change elsewhere. */
export interface TouchedNodes {
  add(slot: number): void;
  all(): void;
  /** PreScore has to run again. */
  scores(): void;
}

export type BoundFilter = (node: NodeInfo) => Status | undefined;
export type BoundScore = (node: NodeInfo) => number;

export interface Plugin {
  readonly name: string;

  /**
   * What the plugin's results depend on besides the shape of the pod and the node. Pods do not share results with equal
   * pods if a plugin lacks this method, or returns undefined for them.
   */
  signature?(pod: PodInfo): string | undefined;

  /** The events that can help pods which this plugin rejected. Without it, every event can. */
  eventsToRegister?(): readonly ClusterEventWithHint[];

  preEnqueue?(pod: PodInfo): Status | undefined;
  less?(a: QueueOrder, b: QueueOrder): boolean;
  preFilter?(state: CycleState, pod: PodInfo): { status?: Status; result?: PreFilterResult } | undefined;
  filter?(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** The filter for one pod: what does not depend on the node is computed once. */
  bindFilter?(state: CycleState, pod: PodInfo): BoundFilter;
  /** PreFilterExtensions: another pod was added to a node or removed, so the plugin updates its state about `pod`. */
  podAdded?(state: CycleState, pod: PodInfo, change: { other: PodInfo; node: NodeInfo; touched: TouchedNodes }): void;
  podRemoved?(state: CycleState, pod: PodInfo, change: { other: PodInfo; node: NodeInfo; touched: TouchedNodes }): void;

  postFilter?(state: CycleState, pod: PodInfo, failure: FilterFailure): PostFilterResult | Promise<PostFilterResult>;

  preScore?(state: CycleState, pod: PodInfo, feasible: FeasibleNodes): Status | undefined;
  score?(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  bindScore?(state: CycleState, pod: PodInfo): BoundScore;
  /** Scores all feasible nodes at once, for scores that depend on more than the node. */
  scoreAll?(state: CycleState, pod: PodInfo, feasible: FeasibleNodes, scores: Float64Array): void;
  /** NormalizeScore: brings `scores[0..count)` into 0 to 100. */
  normalizeScores?(state: CycleState, pod: PodInfo, feasible: FeasibleNodes, scores: Float64Array): void;

  reserve?(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined;
  unreserve?(state: CycleState, pod: PodInfo, nodeName: string): void;
  permit?(state: CycleState, pod: PodInfo, nodeName: string): { status: Status | undefined; timeoutMs?: number };
  /** Pods of the same gang, to be scheduled right after this one while `stillWanted`. */
  companions?(pod: PodInfo): { readonly uids: readonly string[]; stillWanted(): boolean } | undefined;
  /** PreBindPreFlight: whether `preBind` has anything to do. */
  preBindNeeded?(state: CycleState, pod: PodInfo, nodeName: string): boolean;
  preBind?(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Status | undefined>;
  bind?(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Status | undefined>;
  postBind?(state: CycleState, pod: PodInfo, nodeName: string): void;
}

/** What QueueSort compares. */
interface QueueOrder {
  readonly priority: number;
  /** When the pod was added to the queue, in milliseconds. */
  readonly timestamp: number;
}

/** The nodes that fit, as slots of the node table. */
export interface FeasibleNodes {
  readonly slots: Int32Array;
  readonly count: number;
}

/** Why no node fits. */
export interface FilterFailure {
  /** The Filter status of a node. */
  statusOf(slot: number): Status | undefined;
  /** The nodes where preemption might help. */
  resolvable(): readonly number[];
  readonly totalNodes: number;
}
