/** Gives a volume to the pod's fsGroup: the group may do what the owner may, and new files belong to it. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../api/generated/core-v1.ts';

const READ_WRITE = 0o660;
const EXECUTE_DIRECTORY = 0o110;
const SETGID = 0o2000;

export async function setVolumeOwnership(directory: string, pod: Pod): Promise<void> {
  const { fsGroup, fsGroupChangePolicy } = pod.spec?.securityContext ?? {};
  if (fsGroup === undefined) return;
  if (fsGroupChangePolicy === 'OnRootMismatch' && (await rootMatches(directory, fsGroup))) return;
  await give(directory, fsGroup);
}

async function rootMatches(directory: string, fsGroup: number): Promise<boolean> {
  const { gid, mode } = await fs.stat(directory);
  const wanted = READ_WRITE | EXECUTE_DIRECTORY | SETGID;
  return gid === fsGroup && (mode & wanted) === wanted;
}

async function give(target: string, fsGroup: number): Promise<void> {
  const stat = await fs.lstat(target);
  if (stat.isSymbolicLink()) {
    await fs.lchown(target, -1, fsGroup);
    return;
  }
  if (stat.isDirectory()) {
    const names = await fs.readdir(target);
    for (const name of names) await give(path.join(target, name), fsGroup);
  }
  await fs.chown(target, -1, fsGroup);
  const added = stat.isDirectory() ? READ_WRITE | EXECUTE_DIRECTORY | SETGID : READ_WRITE;
  await fs.chmod(target, (stat.mode & 0o7777) | added);
}
