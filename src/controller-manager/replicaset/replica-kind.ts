/** The differences between ReplicaSets and ReplicationControllers, for their shared reconciler. */
import type { ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { Pod, ReplicationController } from '../../api/generated/core-v1.ts';
import type { Expectations, SharedInformer } from '../../client/index.ts';
import type { LabelSelectorMatcher } from '../../machinery/selectors/index.ts';
import type { PodControl, PodsByOwner } from '../pods/index.ts';
import type { ReadYourWrites } from '../read-your-writes.ts';
import type { ReplicaMetrics } from './metrics.ts';

export type ReplicaOwner = ReplicaSet | ReplicationController;

export interface ReplicaKind {
  readonly resource: 'apps/v1/replicasets' | 'v1/replicationcontrollers';
  readonly apiVersion: string;
  readonly kind: string;
  readonly queue: string;
  readonly countsTerminating: boolean;
  selectorOf(owner: ReplicaOwner): LabelSelectorMatcher;
}

/** What the workers and the watches share. */
export interface ReplicaParts {
  readonly kind: ReplicaKind;
  readonly owners: SharedInformer<ReplicaOwner>;
  readonly pods: PodsByOwner;
  readonly expectations: Expectations;
  readonly written: ReadYourWrites;
  readonly metrics: ReplicaMetrics;
}

/** The parts of one worker. */
export interface ReplicaWorkerParts extends ReplicaParts {
  readonly control: PodControl;
}

/** Status changes of pods within this time are written once, because the pods of a set start together. */
export const STATUS_BATCH_MS = 50;

/** The pods that an owner controls. */
export interface ReplicaPods {
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
}
