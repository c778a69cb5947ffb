import type { CronJob, Job } from '../../../api/generated/batch-v1.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';
import { specChanges } from './spec-generation.ts';

export const cronJobs: Strategy<ObjectOf<CronJob>> = { generationChanges: specChanges };

export const jobs: Strategy<ObjectOf<Job>> = {
  defaultPropagation: 'Orphan',
  propagationWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  generationChanges: specChanges,
  prepareForCreate(job) {
    if (job.spec && !job.spec.manualSelector) generateSelector(job);
  },
  canonicalize({ metadata, spec }) {
    // A Job without labels gets those of its pods, generated ones included.
    const labels = spec?.template.metadata?.labels;
    if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  },
};

const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name'];
const UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid'];
const SELECTED_LABEL = 'batch.kubernetes.io/controller-uid';

/** Adds labels that are unique to this Job's pods; what the client wrote stays, for validation to judge. */
function generateSelector({ metadata, spec }: Job): void {
  const template = (spec!.template.metadata ??= {});
  const labels = (template.labels ??= {});
  for (const label of NAME_LABELS) labels[label] ??= metadata.name ?? '';
  for (const label of UID_LABELS) labels[label] ??= metadata.uid ?? '';
  const selector = (spec!.selector ??= {});
  (selector.matchLabels ??= {})[SELECTED_LABEL] ??= metadata.uid ?? '';
}
