/** LimitRanger: the LimitRanges of a namespace give containers default resources, and bound those of containers, pods and claims. */
import type { LimitRange, LimitRangeItem, PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import { parseQuantity } from '../../../base/index.ts';
import { podLimits, podRequests } from '../../../component-helpers/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { isFor, podOf, specOf, type PodObject } from '../kinds.ts';
import { refuse } from '../refuse.ts';
import { maximumProblem, maximumRequestProblem, minimumProblem, ratioProblem, type Amounts } from './constraints.ts';
import { fillContainerDefaults } from './container-defaults.ts';

export function limitRangerPlugin(registry: Registry): AdmissionPlugin {
  const ranges = registry.require('', 'v1', 'limitranges');

  const rangesOf = ({ namespace }: AdmissionAttributes): LimitRangeItem[][] =>
    ranges.cache.list(namespace).map((entry) => (entry.object as LimitRange & KubeObject).spec?.limits ?? []);

  return {
    name: 'LimitRanger',
    operations: ['CREATE', 'UPDATE'],
    matches: (attributes) => concerns(attributes) && ranges.cache.list(attributes.namespace).length > 0,
    admit(attributes) {
      if (!isFor(attributes, '', 'pods')) return;
      const pod = podOf(attributes);
      for (const limits of rangesOf(attributes)) fillContainerDefaults(pod, limits);
    },
    validate(attributes) {
      for (const limits of rangesOf(attributes)) {
        const problems = isFor(attributes, '', 'pods')
          ? podProblems(podOf(attributes), limits)
          : claimProblems(attributes.object as PersistentVolumeClaim & KubeObject, limits);
        if (problems.length > 0) throw refuse(attributes, ...problems);
      }
    },
  };
}

/** A pod's containers cannot change after it was created, except through the subresource for that. */
function concerns(attributes: AdmissionAttributes): boolean {
  const { operation, subresource, oldObject } = attributes;
  if (oldObject?.metadata.deletionTimestamp) return false;
  if (isFor(attributes, '', 'pods')) return operation === 'CREATE' ? subresource === '' : subresource === 'resize';
  return isFor(attributes, '', 'persistentvolumeclaims') && subresource === '';
}

/** More are not looked for: many containers can each break many limits. */
const ENOUGH_PROBLEMS = 1000;

function podProblems(pod: PodObject, limits: readonly LimitRangeItem[]): string[] {
  const spec = specOf(pod);
  const problems: string[] = [];
  for (const item of limits) {
    if (item.type === 'Container') {
      for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
        if (problems.length >= ENOUGH_PROBLEMS) return problems;
        check(problems, item, { requests: amountsIn(resources?.requests), limits: amountsIn(resources?.limits) });
      }
    } else if (item.type === 'Pod') {
      const requests = podRequests(spec, { withOverhead: false });
      const most = podLimits(spec, { withOverhead: false });
      check(problems, item, { requests: (name) => requests.get(name), limits: (name) => most.get(name) });
    }
  }
  return problems;
}

function claimProblems({ spec }: PersistentVolumeClaim, limits: readonly LimitRangeItem[]): string[] {
  const amounts: Amounts = { requests: amountsIn(spec?.resources?.requests), limits: () => undefined };
  const problems: (string | undefined)[] = [];
  for (const { type, min, max } of limits) {
    if (type !== 'PersistentVolumeClaim') continue;
    for (const [name, bound] of Object.entries(min ?? {}))
      problems.push(minimumProblem({ type, name, bound }, amounts));
    for (const [name, bound] of Object.entries(max ?? {}))
      problems.push(maximumRequestProblem({ type, name, bound }, amounts));
  }
  return problems.filter((problem) => problem !== undefined);
}

function check(problems: string[], { type, min, max, maxLimitRequestRatio }: LimitRangeItem, amounts: Amounts): void {
  const found: (string | undefined)[] = [];
  for (const [name, bound] of Object.entries(min ?? {})) found.push(minimumProblem({ type, name, bound }, amounts));
  for (const [name, bound] of Object.entries(max ?? {})) found.push(maximumProblem({ type, name, bound }, amounts));
  for (const [name, bound] of Object.entries(maxLimitRequestRatio ?? {}))
    found.push(ratioProblem({ type, name, bound }, amounts));
  for (const problem of found) if (problem) problems.push(problem);
}

const amountsIn =
  (list: Readonly<Record<string, string>> | undefined): Amounts['requests'] =>
  (name) => {
    const text = list?.[name];
    return text === undefined ? undefined : parseQuantity(text);
  };
