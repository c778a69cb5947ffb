/** Warnings of workloads about their pod templates and revision history. */
import type { DaemonSet, StatefulSet } from '../../../api/generated/apps-v1.ts';
import type { PodTemplateSpec } from '../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../api/generated/meta-v1.ts';
import { path } from '../../errors/index.ts';
import { podTemplateWarnings as warnOfPodTemplate } from '../core/pod/pod-warnings.ts';
import { podOwnerNameWarnings } from '../core/replication-controller.ts';
import { claimSpecWarnings } from '../core/volume/claim-warnings.ts';
import type { WarningCheck } from '../kind-validation.ts';
import { isNewGeneration } from '../metadata-checks.ts';

interface WithTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec?: { readonly template?: PodTemplateSpec };
}

const TEMPLATE = path('spec', 'template');

/** A workload's name becomes part of its pods' names. */
export const ownerNameWarning: WarningCheck<{ readonly metadata?: { readonly name?: string } }> = (
  warnings,
  object,
  old,
) => {
  if (!old) podOwnerNameWarnings(warnings, object.metadata?.name);
};

export const podTemplateWarnings: WarningCheck<WithTemplate> = (warnings, object, old) => {
  if (isNewGeneration(object, old)) warnOfPodTemplate(warnings, object.spec?.template ?? {}, TEMPLATE);
};

/** A DaemonSet counts the generations of its template apart. */
export const daemonTemplateWarnings: WarningCheck<DaemonSet> = (warnings, object, old) => {
  const generationOf = ({ metadata }: DaemonSet): string | undefined =>
    metadata.annotations?.['deprecated.daemonset.template.generation'];
  if (!old || generationOf(object) !== generationOf(old))
    warnOfPodTemplate(warnings, object.spec?.template ?? {}, TEMPLATE);
};

export const claimTemplateWarnings: WarningCheck<StatefulSet> = (warnings, object) => {
  for (const [i, { spec }] of (object.spec?.volumeClaimTemplates ?? []).entries()) {
    if (spec) claimSpecWarnings(warnings, spec, path('spec', 'volumeClaimTemplates').index(i));
  }
};

export const revisionHistoryWarning: WarningCheck<StatefulSet> = (warnings, object) => {
  if ((object.spec?.revisionHistoryLimit ?? 0) < 0) {
    warnings.push(
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    );
  }
};
