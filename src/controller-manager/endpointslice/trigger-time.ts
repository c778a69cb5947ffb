import type { Pod, Service } from '../../api/generated/core-v1.ts';
import { podReadyCondition } from '../../component-helpers/index.ts';

/**
 * The time of the earliest change of a Service or its pods since the last sync. Consumers of the annotation measure
 * network programming latency from it.
 */
export class TriggerTimes {
  readonly #known = new Map<string, { service: string; pods: Map<string, string> }>();

  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#known.get(key);
    const now = { service: service.metadata.creationTimestamp ?? '', pods: new Map<string, string>() };
    const changed: string[] = [];
    for (const pod of pods) {
      const time = podReadyCondition(pod)?.lastTransitionTime;
      if (!time) continue;
      now.pods.set(pod.metadata.name ?? '', time);
      if (time > (before?.pods.get(pod.metadata.name ?? '') ?? '')) changed.push(time);
    }
    if (now.service > (before?.service ?? '')) changed.push(now.service);
    this.#known.set(key, now);
    return before === undefined ? now.service : changed.sort()[0];
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
