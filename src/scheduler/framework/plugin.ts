/**
 * The scheduling framework: what a plugin may implement. A plugin is an object with a name and any of the extension
 * points; the framework calls, for each pod and in this order,
 *
 *   PreEnqueue → (queue) → PreFilter → Filter → PostFilter when nothing fits → PreScore → Score, normalised →
 *   Reserve → Permit → PreBind → Bind → PostBind
 *
 * Everything up to Reserve is synchronous: a decision is made on one state of the cluster. What talks to the API server
 * (Permit's waiting, PreBind, Bind) is asynchronous and runs beside the next decisions.
 */
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { ClusterEvent, EventResource } from './cluster-event.ts';
import type { CycleState } from './cycle-state.ts';
import type { Status } from './status.ts';

export const MAX_NODE_SCORE = 100;

/** As metrics call them. */
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

export interface EventInterest {
  readonly resource: EventResource;
  /** Bits of `Action`. */
  readonly action: number;
  /**
   * Whether this very change could make the pod schedulable; absent, any such event can. Objects are undefined where
   * there is none: `before` of an addition, `after` of a deletion.
   */
  readonly hint?: (pod: PodInfo, before: unknown, after: unknown, happened: ClusterEvent) => boolean;
}

export interface PreFilterResult {
  /** Only these can be feasible; all when absent. */
  readonly nodeNames?: ReadonlySet<string>;
}

export interface PostFilterResult {
  readonly status: Status | undefined;
  /** Where room is being made; an empty string takes a nomination back. */
  readonly nominatedNodeName?: string;
}

/** Collects the nodes whose answer may differ after a change elsewhere. */
export interface TouchedNodes {
  add(slot: number): void;
  all(): void;
  /** PreScore must look again. */
  scores(): void;
}

export type BoundFilter = (node: NodeInfo) => Status | undefined;
export type BoundScore = (node: NodeInfo) => number;

export interface Plugin {
  readonly name: string;

  /**
   * What the plugin's answers for a pod depend on besides the shape of the pod. Plugins that filter or score without it
   * are asked anew for every pod; `undefined` as a result asks anew for this one.
   */
  signature?(pod: PodInfo): string | undefined;

  /** The events that can help pods that this plugin turned down; absent: every event. */
  eventsToRegister?(): readonly EventInterest[];

  preEnqueue?(pod: PodInfo): Status | undefined;
  less?(a: QueueOrder, b: QueueOrder): boolean;
  preFilter?(state: CycleState, pod: PodInfo): { status?: Status; result?: PreFilterResult } | undefined;
  filter?(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** The filter for one pod, with what does not depend on the node worked out. */
  bindFilter?(state: CycleState, pod: PodInfo): BoundFilter;
  /** Another pod came to a node, or left it: what was remembered about `pod` follows. */
  podAdded?(state: CycleState, pod: PodInfo, change: { other: PodInfo; node: NodeInfo; touched: TouchedNodes }): void;
  podRemoved?(state: CycleState, pod: PodInfo, change: { other: PodInfo; node: NodeInfo; touched: TouchedNodes }): void;

  postFilter?(state: CycleState, pod: PodInfo, failure: FilterFailure): PostFilterResult | Promise<PostFilterResult>;

  preScore?(state: CycleState, pod: PodInfo, feasible: FeasibleNodes): Status | undefined;
  score?(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  bindScore?(state: CycleState, pod: PodInfo): BoundScore;
  /** Scores of all feasible nodes at once, for those whose scores depend on more than the node. */
  scoreAll?(state: CycleState, pod: PodInfo, feasible: FeasibleNodes, scores: Float64Array): void;
  /** Brings `scores[0..count)` into 0 to 100. */
  normalizeScores?(state: CycleState, pod: PodInfo, feasible: FeasibleNodes, scores: Float64Array): void;

  reserve?(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined;
  unreserve?(state: CycleState, pod: PodInfo, nodeName: string): void;
  permit?(state: CycleState, pod: PodInfo, nodeName: string): { status: Status | undefined; timeoutMs?: number };
  /** Pods that must be tried right after this one, before any others, as long as that is wanted. */
  companions?(pod: PodInfo): { readonly uids: readonly string[]; stillWanted(): boolean } | undefined;
  /** Whether `preBind` has anything to do. */
  preBindNeeded?(state: CycleState, pod: PodInfo, nodeName: string): boolean;
  preBind?(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Status | undefined>;
  bind?(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Status | undefined>;
  postBind?(state: CycleState, pod: PodInfo, nodeName: string): void;
}

/** What the queue knows of a pod when it is sorted. */
export interface QueueOrder {
  readonly priority: number;
  /** When it came into the queue, in milliseconds. */
  readonly timestamp: number;
}

/** The nodes that fit, by their slots in the node table. */
export interface FeasibleNodes {
  readonly slots: Int32Array;
  readonly count: number;
}

/** Why no node fits. */
export interface FilterFailure {
  /** The answer for each node that was asked or ruled out. */
  statusOf(slot: number): Status | undefined;
  /** The nodes where removing pods might help. */
  resolvable(): readonly number[];
  readonly totalNodes: number;
}
