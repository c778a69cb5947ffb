import type { Pod } from '../../api/generated/core-v1.ts';
import { parseStartTime } from './parse-start-time.ts';
import type { PodShape } from './pod-shape.ts';
import { shapeOf } from './shared-shapes.ts';

/** One pod as the scheduler sees it: the API object, and the shape that it shares with equal pods. */
export class PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly shape: PodShape;
  /** Being deleted: it still uses its resources, but PodTopologySpread does not count it. */
  readonly terminating: boolean;
  /** The span of the attempt to schedule it: the cause of what the scheduler writes about it. */
  attempt = 0;
  #startTime: number | undefined;

  constructor(pod: Pod, shape: PodShape = shapeOf(pod)) {
    this.pod = pod;
    this.uid = pod.metadata.uid ?? '';
    this.namespace = pod.metadata.namespace ?? '';
    this.name = pod.metadata.name ?? '';
    this.shape = shape;
    this.terminating = pod.metadata.deletionTimestamp !== undefined;
  }

  get key(): string {
    return `${this.namespace}/${this.name}`;
  }

  get priority(): number {
    return this.shape.priority;
  }

  get nodeName(): string {
    return this.pod.spec?.nodeName ?? '';
  }

  get nominatedNodeName(): string {
    return this.pod.status?.nominatedNodeName ?? '';
  }

  get schedulerName(): string {
    return this.pod.spec?.schedulerName ?? 'default-scheduler';
  }

  /** Milliseconds since the epoch; Infinity for pods that have not started. */
  get startTime(): number {
    return (this.#startTime ??= parseStartTime(this.pod.status?.startTime) ?? Infinity);
  }
}
