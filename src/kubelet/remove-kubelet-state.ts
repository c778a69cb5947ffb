/** What a kubelet leaves on a machine that shall not have it any more. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { openHierarchies } from './cgroups/hierarchies.ts';
import { systemMounter } from './volumes/mounter.ts';

/** Unmounts the volumes of all pods. No container may run any more; what is on disk stays. */
export async function unmountVolumes(rootDirectory: string): Promise<void> {
  const mounter = systemMounter();
  for (const point of await mounter.below(rootDirectory)) await mounter.unmount(point);
  const left = await mounter.below(rootDirectory);
  if (left.length > 0) throw new Error(`${left.join(', ')} is still mounted`);
}

/** Unmounts the volumes of all pods and removes the kubelet's directory and its cgroups. No container may run any more. */
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

/** A tree of cgroups, in every hierarchy of the machine. Nothing may run in it any more. */
export async function removeCgroups(cgroup: string): Promise<void> {
  const hierarchies = await openHierarchies();
  await hierarchies.remove(cgroup);
}
