/** `vol_data.json` beside a published or staged CSI volume: what a restarted kubelet needs to take it back. */
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory, writeFileDurably } from '../../../kernel/index.ts';

export interface VolumeData {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly specVolID: string;
  /** Empty if the volume is not staged. */
  readonly stagingPath: string;
  readonly target: string;
  /** For a PersistentVolume, which must not be detached while it is in use. */
  readonly persistent?: boolean;
}

export interface StagedData {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly stagingPath: string;
}

const FILE = 'vol_data.json';
const KINDS = ['kubernetes.io~pvc', 'kubernetes.io~csi'];

export async function writeVolumeData(directory: string, data: VolumeData): Promise<void> {
  await makeDirectory(directory, { mode: 0o750 });
  await writeFileDurably(path.join(directory, FILE), JSON.stringify(data));
}

export async function readVolumeData(directory: string): Promise<VolumeData | undefined> {
  const text = await fs.readFile(path.join(directory, FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as VolumeData);
}

export const removeVolumeData = (directory: string): Promise<void> =>
  fs.rm(path.join(directory, FILE), { force: true });

/** All published CSI volumes of this node, by directory. */
export async function allVolumeData(rootDirectory: string): Promise<Map<string, VolumeData>> {
  const found = new Map<string, VolumeData>();
  const pods = path.join(rootDirectory, 'pods');
  for (const uid of await fs.readdir(pods).catch(() => [])) {
    for (const kind of KINDS) {
      const parent = path.join(pods, uid, 'volumes', kind);
      for (const name of await fs.readdir(parent).catch(() => [])) {
        const data = await readVolumeData(path.join(parent, name));
        if (data !== undefined) found.set(path.join(parent, name), data);
      }
    }
  }
  return found;
}

const STAGED = 'plugins/kubernetes.io/csi';
const GLOBAL_MOUNT = 'globalmount';

export const stagingPathOf = (rootDirectory: string, driver: string, volumeHandle: string): string =>
  path.join(rootDirectory, STAGED, driver, createHash('sha256').update(volumeHandle).digest('hex'), GLOBAL_MOUNT);

export async function writeStagedData({ driverName, volumeHandle, stagingPath }: StagedData): Promise<void> {
  await writeFileDurably(path.join(path.dirname(stagingPath), FILE), JSON.stringify({ driverName, volumeHandle }));
}

/** All staged CSI volumes of this node. */
export async function allStagedData(rootDirectory: string): Promise<StagedData[]> {
  const found: StagedData[] = [];
  const drivers = path.join(rootDirectory, STAGED);
  for (const driver of await fs.readdir(drivers).catch(() => [])) {
    for (const volume of await fs.readdir(path.join(drivers, driver)).catch(() => [])) {
      const directory = path.join(drivers, driver, volume);
      const data = await readVolumeData(directory);
      if (data !== undefined) found.push({ ...data, stagingPath: path.join(directory, GLOBAL_MOUNT) });
    }
  }
  return found;
}
