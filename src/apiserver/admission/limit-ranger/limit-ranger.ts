/** LimitRanger: sets default resources of containers, and enforces the limits of containers, pods and PVCs from LimitRanges. */
import type { LimitRange, LimitRangeItem, PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import { parseQuantity } from '../../../base/index.ts';
import { podLimits, podRequests } from '../../../component-helpers/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { newForbidden } from '../new-forbidden.ts';
import { isForResource, podOf, specOf, type PodObject } from '../request-objects.ts';
import {
  maxConstraint,
  maxRequestConstraint,
  minConstraint,
  limitRequestRatioConstraint,
  type ResourceUsage,
} from './constraints.ts';
import { fillContainerDefaults } from './container-defaults.ts';

export function limitRangerPlugin(registry: Registry): AdmissionPlugin {
  const ranges = registry.require('', 'v1', 'limitranges');

  const rangesOf = ({ namespace }: AdmissionAttributes): LimitRangeItem[][] =>
    ranges.cache.list(namespace).map((entry) => (entry.object as LimitRange & KubeObject).spec?.limits ?? []);

  return {
    name: 'LimitRanger',
    operations: ['CREATE', 'UPDATE'],
    matches: (attributes) => isLimited(attributes) && ranges.cache.list(attributes.namespace).length > 0,
    admit(attributes) {
      if (!isForResource(attributes, '', 'pods')) return;
      const pod = podOf(attributes);
      for (const limits of rangesOf(attributes))
        for (const text of fillContainerDefaults(pod, limits)) attributes.record?.changed(text);
    },
    validate(attributes) {
      for (const limits of rangesOf(attributes)) {
        const errors = isForResource(attributes, '', 'pods')
          ? podErrors(podOf(attributes), limits)
          : claimErrors(attributes.object as PersistentVolumeClaim & KubeObject, limits);
        if (errors.length > 0) throw newForbidden(attributes, ...errors);
      }
    },
  };
}

/** The resources of a running pod change only through the resize subresource. */
function isLimited(attributes: AdmissionAttributes): boolean {
  const { operation, subresource, oldObject } = attributes;
  if (oldObject?.metadata.deletionTimestamp) return false;
  if (isForResource(attributes, '', 'pods'))
    return operation === 'CREATE' ? subresource === '' : subresource === 'resize';
  return isForResource(attributes, '', 'persistentvolumeclaims') && subresource === '';
}

/** Many containers can each violate many limits: the check stops here. */
const MAX_ERRORS = 1000;

function podErrors(pod: PodObject, limits: readonly LimitRangeItem[]): string[] {
  const spec = specOf(pod);
  const errors: string[] = [];
  for (const item of limits) {
    if (item.type === 'Container') {
      for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
        if (errors.length >= MAX_ERRORS) return errors;
        check(errors, item, {
          requests: quantityReader(resources?.requests),
          limits: quantityReader(resources?.limits),
        });
      }
    } else if (item.type === 'Pod') {
      const requests = podRequests(spec, { withOverhead: false });
      const maximum = podLimits(spec, { withOverhead: false });
      check(errors, item, { requests: (name) => requests.get(name), limits: (name) => maximum.get(name) });
    }
  }
  return errors;
}

function claimErrors({ spec }: PersistentVolumeClaim, limits: readonly LimitRangeItem[]): string[] {
  const usage: ResourceUsage = { requests: quantityReader(spec?.resources?.requests), limits: () => undefined };
  const errors: (string | undefined)[] = [];
  for (const { type, min, max } of limits) {
    if (type !== 'PersistentVolumeClaim') continue;
    for (const [name, bound] of Object.entries(min ?? {})) errors.push(minConstraint({ type, name, bound }, usage));
    for (const [name, bound] of Object.entries(max ?? {}))
      errors.push(maxRequestConstraint({ type, name, bound }, usage));
  }
  return errors.filter((error) => error !== undefined);
}

function check(errors: string[], { type, min, max, maxLimitRequestRatio }: LimitRangeItem, usage: ResourceUsage): void {
  const found: (string | undefined)[] = [];
  for (const [name, bound] of Object.entries(min ?? {})) found.push(minConstraint({ type, name, bound }, usage));
  for (const [name, bound] of Object.entries(max ?? {})) found.push(maxConstraint({ type, name, bound }, usage));
  for (const [name, bound] of Object.entries(maxLimitRequestRatio ?? {}))
    found.push(limitRequestRatioConstraint({ type, name, bound }, usage));
  for (const error of found) if (error) errors.push(error);
}

const quantityReader =
  (list: Readonly<Record<string, string>> | undefined): ResourceUsage['requests'] =>
  (name) => {
    const text = list?.[name];
    return text === undefined ? undefined : parseQuantity(text);
  };
