import type { Pod } from '../../api/generated/core-v1.ts';
import { shapeOf, type PodShape } from './pod-shape.ts';
import { parseTime } from './start-time.ts';

/** One pod as the scheduler sees it: the API's object, and its shape. */
export class PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly shape: PodShape;
  /** Being deleted: it still holds its resources but is not counted where pods are spread. */
  readonly terminating: boolean;
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

  /** Milliseconds since the epoch; pods that have not started will start after all others. */
  get startTime(): number {
    return (this.#startTime ??= parseTime(this.pod.status?.startTime) ?? Infinity);
  }
}
