/** Whether a pod would fit, as `wouldFit` tells it. */
export interface Fit {
  readonly schedulerName: string;
  /** The node that the scheduler would choose now; empty when none fits. Of equal nodes it chooses any. */
  readonly node: string;
  readonly feasibleNodes: number;
  readonly totalNodes: number;
  /** Why the pod would not be tried on any node. */
  readonly refusals: readonly string[];
  /** The best first, then those that do not fit. */
  readonly nodes: readonly NodeFit[];
  readonly whatWouldHelp: readonly string[];
}

export interface NodeFit {
  readonly node: string;
  readonly fits: boolean;
  readonly filters: readonly { readonly plugin: string; readonly reasons: readonly string[] }[];
  /** Weighted, by plugin. */
  readonly scores?: Readonly<Record<string, number>>;
  readonly total?: number;
}
