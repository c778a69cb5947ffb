/** What the Job controller watches, and which Jobs an event concerns. */
import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { controllerOf, keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { watch, type Watch } from '../controller.ts';
import { ownerKeyIn } from '../owners.ts';
import { matcherOf } from '../selector-matchers.ts';
import { isManagedHere, isTracked } from './job-state.ts';
import type { JobParts } from './reconcile.ts';

export function jobWatches({ jobs, pods, jobPods, metrics }: JobParts): readonly Watch[] {
  const { expectations } = jobPods;
  const ownerKey = ownerKeyIn(jobs, { kind: 'Job' });
  const itself = (job: Job): string[] => [keyOf(job)];
  /** The Jobs that may adopt an orphan. */
  const claimants = ({ metadata }: Pod): string[] =>
    jobs.indexer
      .byIndex(NAMESPACE_INDEX, metadata.namespace ?? '')
      .filter(({ spec }) => matcherOf(spec?.selector).matches(metadata.labels ?? {}))
      .map(keyOf);
  const podChanged = (pod: Pod, key: string | undefined): string[] => {
    if (key === undefined) return controllerOf(pod) === undefined ? claimants(pod) : [];
    if (!isTracked(pod)) jobPods.untrackingObserved(key, pod.metadata.uid ?? '');
    return [key];
  };
  return [
    watch(jobs, {
      added: (job) => {
        if (!isManagedHere(job)) metrics.managedExternally(job.spec?.managedBy ?? '');
        return itself(job);
      },
      updated: (_, after) => itself(after),
      deleted: itself,
    }),
    watch(pods.informer, {
      added: (pod) => {
        metrics.podChanged(undefined, pod);
        const key = ownerKey(pod);
        if (key !== undefined) {
          if (pod.metadata.deletionTimestamp !== undefined) expectations.deletionObserved(key, keyOf(pod));
          else expectations.creationObserved(key);
        }
        return podChanged(pod, key);
      },
      updated: (before, pod) => {
        metrics.podChanged(before, pod);
        const [previous, key] = [ownerKey(before), ownerKey(pod)];
        const isTerminating = pod.metadata.deletionTimestamp !== undefined;
        if (key !== undefined && isTerminating) expectations.deletionObserved(key, keyOf(pod));
        const left = previous !== undefined && previous !== key ? [previous] : [];
        return [...podChanged(pod, key), ...left];
      },
      deleted: (pod) => {
        metrics.podChanged(pod, undefined);
        const key = ownerKey(pod);
        if (key === undefined) return [];
        expectations.deletionObserved(key, keyOf(pod));
        jobPods.untrackingObserved(key, pod.metadata.uid ?? '');
        return [key];
      },
    }),
  ];
}
