/**
 * The file of allocated resources, in upstream's format: `{"data": TEXT, "checksum": N}`, where the text is JSON and the checksum
 * FNV-1a of the text as Go prints it.
 */
import type { ResourceRequirements } from '../../api/generated/core-v1.ts';
import { fnv32a, goJsonText } from '../../base/index.ts';

export interface AllocatedResources {
  /** By the name of the container. */
  readonly containers: Readonly<Record<string, ResourceRequirements>>;
  /** Those of the pod's own `spec.resources`. */
  readonly pod?: ResourceRequirements | undefined;
}

interface Entry {
  readonly ContainerResources?: AllocatedResources['containers'] | null;
  readonly PodLevelResources?: ResourceRequirements | null;
}

const checksumOf = (data: string): number => fnv32a(Buffer.from(`(string)${data}`));

/** By the uid of the pod. */
export function allocationsText(allocated: ReadonlyMap<string, AllocatedResources>): string {
  const entries = [...allocated].map(([uid, { containers, pod }]): [string, Entry] => [
    uid,
    { ContainerResources: containers, PodLevelResources: pod ?? null },
  ]);
  const data = goJsonText(entries.length === 0 ? {} : { entries: Object.fromEntries(entries) });
  return goJsonText({ data, checksum: checksumOf(data) });
}

/** Throws where the file is not what `allocationsText` or upstream's kubelet wrote. */
export function readAllocations(text: string): [uid: string, AllocatedResources][] {
  const { data, checksum } = JSON.parse(text) as { data: string; checksum: number };
  if (checksum !== checksumOf(data)) throw new Error('the checkpoint is corrupted');
  const { entries = {} } = JSON.parse(data) as { entries?: Readonly<Record<string, Entry>> };
  return Object.entries(entries).map(([uid, { ContainerResources, PodLevelResources }]) => [
    uid,
    { containers: ContainerResources ?? {}, ...(PodLevelResources ? { pod: PodLevelResources } : {}) },
  ]);
}
