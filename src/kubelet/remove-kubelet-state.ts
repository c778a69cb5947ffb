/** Removes what a kubelet leaves on a machine: mounts, its root directory and cgroups. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { openHierarchies } from './cgroups/hierarchies.ts';
import { systemMounter } from './volumes/mounter.ts';

/** Unmounts the volumes of all pods. Their containers must have stopped. Files on disk stay. */
export async function unmountVolumes(rootDirectory: string): Promise<void> {
  const mounter = systemMounter();
  for (const point of await mounter.below(rootDirectory)) await mounter.unmount(point);
  const left = await mounter.below(rootDirectory);
  if (left.length > 0) throw new Error(`${left.join(', ')} is still mounted`);
}

/** Unmounts all volumes, and removes the root directory and the cgroups. All containers must have stopped. */
export async function removeKubeletState({
  rootDirectory,
  cgroupRoot,
}: {
  readonly rootDirectory: string;
  readonly cgroupRoot: string;
}): Promise<void> {
  await unmountVolumes(rootDirectory);
  await fs.rm(rootDirectory, { recursive: true, force: true });
  await removeCgroups(path.join('/', cgroupRoot, 'kubepods'));
}

/** Removes a cgroup and its children from every hierarchy. Its processes must have exited. */
export async function removeCgroups(cgroup: string): Promise<void> {
  const hierarchies = await openHierarchies();
  await hierarchies.remove(cgroup);
}
