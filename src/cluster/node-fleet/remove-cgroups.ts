/** Removes a tree of cgroups that nothing runs in any more, in every hierarchy of the machine (version 1 has several). */
import fs from 'node:fs/promises';
import path from 'node:path';

const CGROUP_ROOT = '/sys/fs/cgroup';

/** `/k8ts-demo/node-1`. One that still has processes stays, with those above it. */
export async function removeCgroups(name: string): Promise<void> {
  const hierarchies = ['', ...(await directoriesOf(CGROUP_ROOT))];
  for (const hierarchy of hierarchies) await removeTree(path.join(CGROUP_ROOT, hierarchy, name));
}

async function removeTree(directory: string): Promise<void> {
  for (const name of await directoriesOf(directory)) await removeTree(path.join(directory, name));
  // A cgroup's files go with it; only rmdir works.
  await fs.rmdir(directory).catch(() => undefined);
}

async function directoriesOf(directory: string): Promise<string[]> {
  const entries = await fs.readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
