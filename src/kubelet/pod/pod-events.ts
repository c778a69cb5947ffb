/** Records events of pods and containers. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { referenceTo, type EventRecorder, type EventType } from '../../client/index.ts';

export class PodEvents {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  pod(pod: Pod, type: EventType, reason: string, message: string, annotations?: Record<string, string>): void {
    this.#recorder.event(
      { reference: podReference(pod) },
      type,
      reason,
      message,
      annotations === undefined ? {} : { annotations },
    );
  }

  /** `cause`: the span in which it happened; default: the revision of the pod. */
  container(
    pod: Pod,
    containerName: string,
    type: EventType,
    reason: string,
    message: string,
    cause: number = 0,
  ): void {
    this.#recorder.event(
      { reference: { ...podReference(pod), fieldPath: fieldPath(pod, containerName) } },
      type,
      reason,
      message,
      cause === 0 ? {} : { cause },
    );
  }
}

const podReference = (pod: Pod) => referenceTo({ ...pod, apiVersion: 'v1', kind: 'Pod' });

function fieldPath({ spec }: Pod, name: string): string | undefined {
  const has = (containers: readonly { name: string }[] | undefined): boolean =>
    containers?.some((container) => container.name === name) ?? false;
  if (has(spec?.containers)) return `spec.containers{${name}}`;
  if (has(spec?.initContainers)) return `spec.initContainers{${name}}`;
  return has(spec?.ephemeralContainers) ? `spec.ephemeralContainers{${name}}` : undefined;
}
