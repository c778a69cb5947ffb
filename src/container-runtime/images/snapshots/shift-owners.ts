/** Chowns all files of a tree to the host ids of a user namespace, for hosts without idmapped mounts. */
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
  // chown clears setuid and setgid.
  if (!stats.isSymbolicLink() && (stats.mode & 0o6000) !== 0) await chmod(path, stats.mode & 0o7777);
}

/** The host id of an id in the container; unmapped ids stay unchanged. */
export function hostId(mappings: readonly IdMapping[], id: number): number {
  for (const { containerId, hostId: first, length } of mappings) {
    if (id >= containerId && id < containerId + length) return first + (id - containerId);
  }
  return id;
}
