/**
 * The atomic writer: updates all files of a configMap, secret or projected volume at once. Readers see
 *
 *   volume/key            -> ..data/key
 *   volume/..data         -> ..2026_01_31_10_00_00.123456789
 *   volume/..2026_…/key   the file
 *
 * and an update writes a new dated directory and swaps the one link `..data` over to it.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from '../../kernel/index.ts';

export interface PayloadFile {
  readonly data: Buffer;
  readonly mode: number;
  /** The owner, if not root. */
  readonly uid?: number;
}

export type Payload = ReadonlyMap<string, PayloadFile>;

const DATA = '..data';
const NEW_DATA = '..data_tmp';

interface AtomicWriteOptions {
  readonly directory: string;
  readonly payload: Payload;
  /** Milliseconds since the epoch, for the name of the dated directory. */
  readonly now: number;
  readonly fsGroup?: number;
}

/** True when something changed. */
export async function writeAtomically({ directory, payload, now, fsGroup }: AtomicWriteOptions): Promise<boolean> {
  for (const name of payload.keys()) checkPath(name);
  const current = await fs.readlink(path.join(directory, DATA)).catch(() => undefined);
  if (current !== undefined && (await isSame(path.join(directory, current), payload))) return false;
  const dated = await makeDated(directory, now, fsGroup);
  for (const [name, file] of payload)
    await writeFile(path.join(directory, dated, name), file, path.join(directory, dated), fsGroup);
  const link = path.join(directory, NEW_DATA);
  await fs.rm(link, { force: true });
  await fs.symlink(dated, link);
  await fs.rename(link, path.join(directory, DATA));
  await linkNames(directory, payload);
  if (current !== undefined) await fs.rm(path.join(directory, current), { recursive: true, force: true });
  return true;
}

function checkPath(name: string): void {
  if (name === '' || path.isAbsolute(name) || name.split('/').includes('..'))
    throw new Error(`invalid path: ${JSON.stringify(name)}`);
  if (name.startsWith('..')) throw new Error(`path ${JSON.stringify(name)} must not start with '..'`);
}

async function makeDated(directory: string, now: number, fsGroup: number | undefined): Promise<string> {
  const [date = '', fraction = '0'] = new Date(now).toISOString().replace(/[-T:]/g, '_').replace('Z', '').split('.');
  for (let nanos = Number(fraction) * 1e6; ; nanos++) {
    const name = `..${date}.${String(nanos).padStart(9, '0')}`;
    const full = path.join(directory, name);
    try {
      await fs.mkdir(full);
      await fs.chmod(full, 0o755);
      if (fsGroup !== undefined) await giveDirectory(full, fsGroup);
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function giveDirectory(full: string, fsGroup: number): Promise<void> {
  await fs.chown(full, -1, fsGroup);
  await fs.chmod(full, 0o2775);
}

async function writeFile(
  full: string,
  { data, mode, uid }: PayloadFile,
  root: string,
  fsGroup: number | undefined,
): Promise<void> {
  const parent = path.dirname(full);
  if (parent !== root) {
    await makeDirectory(parent, { mode: 0o755 });
    if (fsGroup !== undefined)
      for (let dir = parent; dir !== root; dir = path.dirname(dir)) await giveDirectory(dir, fsGroup);
  }
  await fs.writeFile(full, data, { flag: 'wx' });
  if (uid !== undefined || fsGroup !== undefined) await fs.chown(full, uid ?? -1, fsGroup ?? -1);
  // The umask has changed the mode.
  await fs.chmod(full, fsGroup === undefined ? mode : mode | 0o440);
}

/** Links the first segment of each path into ..data, and removes links of paths that are gone. */
async function linkNames(directory: string, payload: Payload): Promise<void> {
  const wanted = new Set(Array.from(payload.keys(), (name) => name.split('/')[0] ?? name));
  for (const name of await fs.readdir(directory)) {
    if (!name.startsWith('..') && !wanted.has(name)) await fs.rm(path.join(directory, name), { force: true });
  }
  for (const name of wanted) {
    const link = path.join(directory, name);
    if ((await fs.readlink(link).catch(() => undefined)) === undefined) await fs.symlink(path.join(DATA, name), link);
  }
}

async function isSame(directory: string, payload: Payload): Promise<boolean> {
  const present = await listFiles(directory).catch(() => undefined);
  if (present === undefined || present.length !== payload.size) return false;
  for (const name of present) {
    const wanted = payload.get(name);
    if (wanted === undefined) return false;
    const full = path.join(directory, name);
    if (!(await fs.readFile(full)).equals(wanted.data)) return false;
  }
  return true;
}

async function listFiles(directory: string, prefix = ''): Promise<string[]> {
  const entries = await fs.readdir(path.join(directory, prefix), { withFileTypes: true });
  const nested = await Promise.all(
    entries.map((entry) =>
      entry.isDirectory()
        ? listFiles(directory, path.join(prefix, entry.name))
        : Promise.resolve([path.join(prefix, entry.name)]),
    ),
  );
  return nested.flat();
}
