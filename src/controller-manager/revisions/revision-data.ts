/** The data of a ControllerRevision: a patch that restores the pod template. */
import type { ControllerRevision } from '../../api/generated/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/generated/core-v1.ts';
import { compareText, deepEqual, isRecord } from '../../base/index.ts';

/**
 * Clients and other controllers compare the data byte for byte with what Go's encoder writes of a map: its keys are
 * sorted.
 */
export const revisionData = (template: PodTemplateSpec | undefined): unknown =>
  withSortedKeys({ spec: { template: { ...template, $patch: 'replace' } } });

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return Object.fromEntries(keys.sort(compareText).map((key) => [key, withSortedKeys(value[key])]));
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
