/** Eviction of pods that exceed their local ephemeral storage limits or the sizeLimit of an emptyDir. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import type { PodSummary } from '../server/stats/summary-types.ts';

export function limitsStorage({ spec }: Pod): boolean {
  return (
    (spec?.volumes?.some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined) ?? false) ||
    (spec?.containers.some(({ resources }) => resources?.limits?.['ephemeral-storage'] !== undefined) ?? false)
  );
}

/** The eviction message; undefined when the pod is within its limits. */
export function storageViolation(pod: Pod, summary: PodSummary): string | undefined {
  for (const { name, emptyDir } of pod.spec?.volumes ?? []) {
    if (emptyDir?.sizeLimit === undefined) continue;
    const used = summary.volume?.find((volume) => volume.name === name)?.usedBytes ?? 0;
    if (used > parseQuantity(emptyDir.sizeLimit).value())
      return `Usage of EmptyDir volume ${JSON.stringify(name)} exceeds the limit ${JSON.stringify(emptyDir.sizeLimit)}. `;
  }
  const limits = (pod.spec?.containers ?? []).map(({ resources }) => resources?.limits?.['ephemeral-storage']);
  if (limits.length > 0 && limits.every((limit) => limit !== undefined)) {
    const total = limits.reduce((sum, limit) => sum.add(parseQuantity(limit ?? '0')), parseQuantity('0'));
    if ((summary['ephemeral-storage']?.usedBytes ?? 0) > total.value())
      return `Pod ephemeral local storage usage exceeds the total limit of containers ${total.toString()}. `;
  }
  for (const { name, resources } of pod.spec?.containers ?? []) {
    const limit = resources?.limits?.['ephemeral-storage'];
    const container = summary.containers.find((one) => one.name === name);
    const used = (container?.rootfs?.usedBytes ?? 0) + (container?.logs?.usedBytes ?? 0);
    if (limit !== undefined && used > parseQuantity(limit).value())
      return `Container ${name} exceeded its local ephemeral storage limit ${JSON.stringify(limit)}. `;
  }
  return undefined;
}
