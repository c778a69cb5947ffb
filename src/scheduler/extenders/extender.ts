import type { Node } from '../../api/generated/core-v1.ts';
import type { PodInfo } from '../cache/pod-info.ts';

/** A scheduler extender: a webhook that filters, prioritizes, preempts or binds. */
export interface Extender {
  readonly name: string;
  readonly ignorable: boolean;
  readonly filters: boolean;
  readonly prioritizes: boolean;
  readonly binds: boolean;
  readonly preempts: boolean;
  readonly weight: number;
  isInterested(pod: PodInfo): boolean;
  /** The nodes that fit, and why the others do not. */
  filter(pod: PodInfo, nodes: readonly Node[], signal: AbortSignal): Promise<ExtenderFilterResult>;
  /** Scores from 0 to 10, by node. */
  prioritize(pod: PodInfo, nodes: readonly Node[], signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  preempt(
    pod: PodInfo,
    victims: ReadonlyMap<string, ExtenderVictims>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ExtenderVictims>>;
  bind(pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<void>;
}

export interface ExtenderFilterResult {
  readonly nodeNames: ReadonlySet<string>;
  readonly failed: Readonly<Record<string, string>>;
  readonly failedAndUnresolvable: Readonly<Record<string, string>>;
}

export interface ExtenderVictims {
  readonly pods: readonly PodInfo[];
  readonly numPdbViolations: number;
}
