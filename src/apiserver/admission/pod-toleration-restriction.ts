/** PodTolerationRestriction: adds a namespace's default tolerations to its pods, and enforces its whitelist of tolerations. */
import type { Toleration } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import { computePodQos } from '../../component-helpers/index.ts';
import { parseJson } from '../../machinery/decode/index.ts';
import { failure } from '../../machinery/errors/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { covers, mergeTolerations } from './merge-tolerations.ts';
import { isForPods, podOf, specOf } from './request-objects.ts';

export interface PodTolerationRestrictionConfiguration {
  readonly default?: readonly Toleration[];
  readonly whitelist?: readonly Toleration[];
}

const DEFAULT_ANNOTATION = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const WHITELIST_ANNOTATION = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const MEMORY_PRESSURE: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

export function podTolerationRestrictionPlugin(
  registry: Registry,
  configuration: PodTolerationRestrictionConfiguration = {},
): AdmissionPlugin {
  function annotatedTolerations({ namespace }: AdmissionAttributes, key: string): readonly Toleration[] | undefined {
    const text = ownValue(registry.lookup('', 'v1', 'namespaces', '', namespace)?.metadata.annotations, key);
    if (text === undefined) return undefined;
    return text === '' ? [] : (parseJson(text).value as Toleration[]);
  }

  function check(attributes: AdmissionAttributes): void {
    const given = specOf(podOf(attributes)).tolerations ?? [];
    const whitelist = annotatedTolerations(attributes, WHITELIST_ANNOTATION) ?? configuration.whitelist ?? [];
    if (whitelist.length === 0 || given.every((toleration) => whitelist.some((allowed) => covers(allowed, toleration))))
      return;
    throw failure(
      500,
      '',
      'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
    );
  }

  return {
    name: 'PodTolerationRestriction',
    operations: ['CREATE', 'UPDATE'],
    matches: isForPods,
    admit(attributes) {
      if (attributes.operation === 'CREATE') {
        const spec = specOf(podOf(attributes));
        const extra = [
          ...(annotatedTolerations(attributes, DEFAULT_ANNOTATION) ?? configuration.default ?? []),
          ...(computePodQos(spec) === 'BestEffort' ? [] : [MEMORY_PRESSURE]),
        ];
        if (extra.length > 0) {
          const before = spec.tolerations?.length ?? 0;
          spec.tolerations = mergeTolerations(spec.tolerations ?? [], extra);
          if (spec.tolerations.length !== before) attributes.record?.changed('spec.tolerations');
        }
      }
      check(attributes);
    },
    validate: check,
  };
}
