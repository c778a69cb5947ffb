/** DefaultTolerationSeconds: pods tolerate not-ready and unreachable nodes for five minutes unless they say otherwise. */
import type { Toleration } from '../../api/generated/core-v1.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isForPods, podOf, specOf } from './request-objects.ts';

export interface DefaultTolerationSeconds {
  readonly notReady: number;
  readonly unreachable: number;
}

const DEFAULT_TOLERATION_SECONDS: DefaultTolerationSeconds = { notReady: 300, unreachable: 300 };

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

export function defaultTolerationSecondsPlugin(
  seconds: DefaultTolerationSeconds = DEFAULT_TOLERATION_SECONDS,
): AdmissionPlugin {
  return {
    name: 'DefaultTolerationSeconds',
    operations: ['CREATE', 'UPDATE'],
    matches: isForPods,
    admit(attributes) {
      const spec = specOf(podOf(attributes));
      const given = spec.tolerations ?? [];
      const added: Toleration[] = [];
      if (!given.some((toleration) => coversEviction(toleration, NOT_READY)))
        added.push(tolerating(NOT_READY, seconds.notReady));
      if (!given.some((toleration) => coversEviction(toleration, UNREACHABLE)))
        added.push(tolerating(UNREACHABLE, seconds.unreachable));
      if (added.length === 0) return;
      spec.tolerations = [...given, ...added];
      attributes.record?.changed('spec.tolerations');
    },
  };
}

/** Unlike the scheduler's match of a taint, this ignores operator and value. */
const coversEviction = ({ key = '', effect = '' }: Toleration, taint: string): boolean =>
  (key === taint || key === '') && (effect === 'NoExecute' || effect === '');

const tolerating = (key: string, tolerationSeconds: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
});
