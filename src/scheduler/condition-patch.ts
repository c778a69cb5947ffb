import type { Pod, PodCondition } from '../api/generated/core-v1.ts';

/** A strategic merge patch that sets one condition. It keeps the order of the others; a new condition comes last. */
export function conditionPatch(pod: Pod, condition: PodCondition): Record<string, unknown> {
  const types = (pod.status?.conditions ?? []).map((c) => c.type);
  const order = types.includes(condition.type) ? types : [...types, condition.type];
  return { conditions: [condition], '$setElementOrder/conditions': order.map((type) => ({ type })) };
}
