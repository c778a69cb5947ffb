/** The pods of an Indexed Job: their names, environment and failure counts. */
import type { Job } from '../../api/generated/batch-v1.ts';
import type { Container, Pod } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import type { CreatePodOptions } from '../pods/index.ts';
import { COMPLETION_INDEX } from './job-state.ts';
import { matchPodFailurePolicy } from './pod-failure-policy.ts';

const FAILURE_COUNT = 'batch.kubernetes.io/job-index-failure-count';
const IGNORED_FAILURE_COUNT = 'batch.kubernetes.io/job-index-ignored-failure-count';
const MAX_GENERATED_PREFIX = 58;

const count = (pod: Pod, annotation: string): number =>
  Number(ownValue(pod.metadata.annotations, annotation) ?? 0) || 0;

/** The number of failures of the index before this pod. */
const failureCount = (pod: Pod): number => count(pod, FAILURE_COUNT);
export const allFailures = (pod: Pod): number => failureCount(pod) + count(pod, IGNORED_FAILURE_COUNT);

export function isIndexFailed(pod: Pod, job: Job): boolean {
  const match = matchPodFailurePolicy(job.spec?.podFailurePolicy, pod);
  if (match?.action === 'FailIndex') return true;
  return match?.action !== 'Ignore' && failureCount(pod) >= (job.spec?.backoffLimitPerIndex ?? Infinity);
}

export function indexPodOptions(job: Job, index: number, replaced: Pod | undefined): Partial<CreatePodOptions> {
  const name = job.metadata.name ?? '';
  const suffix = `-${index}-`;
  return {
    generateName: `${name.slice(0, MAX_GENERATED_PREFIX - suffix.length)}${suffix}`,
    labels: { [COMPLETION_INDEX]: String(index) },
    annotations: {
      [COMPLETION_INDEX]: String(index),
      ...(job.spec?.backoffLimitPerIndex === undefined ? {} : failureAnnotations(job, replaced)),
    },
    spec: {
      hostname: `${name}-${index}`,
      containers: (job.spec?.template.spec?.containers ?? []).map(withIndex),
      ...(job.spec?.template.spec?.initContainers
        ? { initContainers: job.spec.template.spec.initContainers.map(withIndex) }
        : {}),
    },
  };
}

function failureAnnotations(job: Job, replaced: Pod | undefined): Record<string, string> {
  if (!replaced) return { [FAILURE_COUNT]: '0' };
  const isIgnored = matchPodFailurePolicy(job.spec?.podFailurePolicy, replaced)?.action === 'Ignore';
  const ignored = count(replaced, IGNORED_FAILURE_COUNT) + Number(isIgnored);
  return {
    [FAILURE_COUNT]: String(failureCount(replaced) + Number(!isIgnored)),
    ...(ignored > 0 ? { [IGNORED_FAILURE_COUNT]: String(ignored) } : {}),
  };
}

function withIndex(container: Container): Container {
  if (container.env?.some(({ name }) => name === 'JOB_COMPLETION_INDEX')) return container;
  const variable = {
    name: 'JOB_COMPLETION_INDEX',
    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } },
  };
  return { ...container, env: [...(container.env ?? []), variable] };
}
