/** Defaults of Jobs. */
import type { Job } from '../../api/generated/batch-v1.ts';
import { inOrderOf, withLabels } from './declared-order.ts';

const DEFAULT_BACKOFF_LIMIT = 6;
const NO_BACKOFF_LIMIT = 2_147_483_647;

/** Applied to Jobs only: upstream does not default the Job template of a CronJob. */
export function defaultJob({ metadata, spec: given }: Job): Partial<Job> {
  const spec = { ...given! };
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  // With backoffLimitPerIndex the Job as a whole has no limit.
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? DEFAULT_BACKOFF_LIMIT : NO_BACKOFF_LIMIT;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  const labels = spec.template.metadata?.labels;
  const ordered = inOrderOf('io.k8s.api.batch.v1.JobSpec', spec);
  return labels && !metadata?.labels ? { metadata: withLabels(metadata, labels), spec: ordered } : { spec: ordered };
}
