/** The data of a ControllerRevision: a patch that restores the pod template. */
import type { ControllerRevision } from '../../api/generated/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/generated/core-v1.ts';
import { compareText, deepEqual, isRecord } from '../../base/index.ts';

/**
 * Upstream's controllers compare the text of the data: its keys are sorted at all depths, as Go's encoder writes maps.
 */
export const revisionData = (template: PodTemplateSpec | undefined): unknown =>
  sorted({ spec: { template: { ...template, $patch: 'replace' } } });

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => compareText(a, b)).map(([key, field]) => [key, sorted(field)]));
}

export const sameData = (revision: ControllerRevision, data: unknown): boolean => deepEqual(revision.data, data);

/** The pod template of a revision. */
export function templateOf(revision: ControllerRevision): PodTemplateSpec | undefined {
  const spec = isRecord(revision.data) ? revision.data['spec'] : undefined;
  const template = isRecord(spec) ? spec['template'] : undefined;
  if (!isRecord(template)) return undefined;
  const { $patch: _, ...rest } = template;
  return rest as unknown as PodTemplateSpec;
}

/** The older first; by name where two have the same number. */
export const byRevision = (a: ControllerRevision, b: ControllerRevision): number =>
  a.revision - b.revision ||
  ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '')
    ? -1
    : (a.metadata.creationTimestamp ?? '') > (b.metadata.creationTimestamp ?? '')
      ? 1
      : (a.metadata.name ?? '') < (b.metadata.name ?? '')
        ? -1
        : 1);
