/** Gives the files of a tree to the owners that a user namespace maps them to: for machines that cannot map mounts. */
import { chmod, lchown, lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { IdMapping, UserNamespaceMapping } from '../image-store.ts';

export async function shiftOwners(root: string, mapping: UserNamespaceMapping): Promise<void> {
  await shiftOne(root, mapping);
  for await (const item of await opendir(root)) {
    const path = join(root, item.name);
    if (item.isDirectory()) await shiftOwners(path, mapping);
    else await shiftOne(path, mapping);
  }
}

async function shiftOne(path: string, { uidMappings, gidMappings }: UserNamespaceMapping): Promise<void> {
  const stats = await lstat(path);
  await lchown(path, hostId(uidMappings, stats.uid), hostId(gidMappings, stats.gid));
  // A new owner clears setuid and setgid.
  if (!stats.isSymbolicLink() && (stats.mode & 0o6000) !== 0) await chmod(path, stats.mode & 0o7777);
}

/** The machine's id of one in the container; ids that are not mapped belong to nobody there and stay as they are. */
export function hostId(mappings: readonly IdMapping[], id: number): number {
  for (const { containerId, hostId: first, length } of mappings) {
    if (id >= containerId && id < containerId + length) return first + (id - containerId);
  }
  return id;
}
