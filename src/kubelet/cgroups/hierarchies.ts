/** Reads and writes cgroups: one hierarchy in cgroup v2, one for each controller in v1. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from '../../kernel/index.ts';
import type { MemoryUse } from './cgroup-manager.ts';

export interface CgroupSettings {
  readonly cpuShares?: number;
  /** Microseconds; -1 for no limit. */
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  /** -1 for no limit. */
  readonly memoryBytes?: number;
  readonly pids?: number;
}

export interface Hierarchies {
  readonly version: 1 | 2;
  create(cgroup: string): Promise<void>;
  apply(cgroup: string, settings: CgroupSettings): Promise<void>;
  /** -1 for no limit, and for a cgroup that does not exist. */
  limits(cgroup: string): Promise<Required<Pick<CgroupSettings, 'cpuQuota' | 'memoryBytes'>>>;
  /** Removes the cgroup and its children; throws while a process runs in it. */
  remove(cgroup: string): Promise<void>;
  list(cgroup: string): Promise<string[]>;
  directory(cgroup: string, controller: string): string;
  /** Undefined when there is no such cgroup. */
  memoryUsage(cgroup: string): Promise<number | undefined>;
  /** Undefined when the cgroup has no limit of its own. */
  memory(cgroup: string): Promise<MemoryUse | undefined>;
}

export async function openHierarchies(root = '/sys/fs/cgroup'): Promise<Hierarchies> {
  const isUnified = await fs.access(path.join(root, 'cgroup.controllers')).then(
    () => true,
    () => false,
  );
  return isUnified ? cgroupV2(root) : cgroupV1(await controllersOf());
}

/**
 * Hybrid mode: many v1 machines also mount a v2 hierarchy without controllers. OCI runtimes create containers' cgroups
 * in it too, and leave their parents for us to remove.
 */
const HYBRID_UNIFIED = 'unified';

/** The mount point of each controller of cgroup v1, by name. */
async function controllersOf(): Promise<Map<string, string>> {
  const text = await fs.readFile('/proc/self/mountinfo', 'utf8');
  const found = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [type, , options = ''] = after.split(' ');
    const directory = before.split(' ')[4] ?? '';
    if (type === 'cgroup2') found.set(HYBRID_UNIFIED, directory);
    if (type !== 'cgroup') continue;
    for (const option of options.split(','))
      if (!['rw', 'ro', 'xattr', 'clone_children'].includes(option)) found.set(option, directory);
  }
  return found;
}

function cgroupV1(controllers: ReadonlyMap<string, string>): Hierarchies {
  const all = [...new Set(controllers.values())];
  const directories = all.filter((directory) => directory !== controllers.get(HYBRID_UNIFIED));
  const at = (cgroup: string, controller: string): string =>
    path.join(controllers.get(controller) ?? `/sys/fs/cgroup/${controller}`, cgroup);
  const set = async (cgroup: string, controller: string, file: string, value: number | undefined): Promise<void> => {
    if (value === undefined || !controllers.has(controller)) return;
    await fs.writeFile(path.join(at(cgroup, controller), file), String(value));
  };
  return {
    version: 1,
    async create(cgroup) {
      await Promise.all(directories.map((directory) => makeDirectory(path.join(directory, cgroup))));
      if (controllers.has('cpuset')) await inheritCpuset(controllers.get('cpuset') ?? '', cgroup);
    },
    async apply(cgroup, { cpuShares, cpuQuota, cpuPeriod, memoryBytes, pids }) {
      await set(cgroup, 'cpu', 'cpu.shares', cpuShares);
      if (cpuQuota !== undefined && cpuQuota > 0) await set(cgroup, 'cpu', 'cpu.cfs_period_us', cpuPeriod);
      await set(cgroup, 'cpu', 'cpu.cfs_quota_us', cpuQuota);
      await set(cgroup, 'memory', 'memory.limit_in_bytes', memoryBytes);
      await set(cgroup, 'pids', 'pids.max', pids);
    },
    async limits(cgroup) {
      const [cpuQuota, memoryBytes] = await Promise.all([
        readLimit(path.join(at(cgroup, 'cpu'), 'cpu.cfs_quota_us')),
        readLimit(path.join(at(cgroup, 'memory'), 'memory.limit_in_bytes')),
      ]);
      return { cpuQuota, memoryBytes };
    },
    async remove(cgroup) {
      await Promise.all(all.map((directory) => removeTree(path.join(directory, cgroup))));
    },
    async list(cgroup) {
      const names = await Promise.all(all.map((directory) => children(path.join(directory, cgroup))));
      return [...new Set(names.flat())];
    },
    directory: at,
    memoryUsage: (cgroup) => readNumber(path.join(at(cgroup, 'memory'), 'memory.usage_in_bytes')),
    memory: (cgroup) =>
      memoryUse(at(cgroup, 'memory'), {
        limit: 'memory.limit_in_bytes',
        usage: 'memory.usage_in_bytes',
        inactive: 'total_inactive_file',
      }),
  };
}

/** Cgroup v1 reports no limit as the largest multiple of the page size. */
const NO_LIMIT = 2 ** 62;

/** The first number of the file; -1 for no limit. */
async function readLimit(file: string): Promise<number> {
  const text = await fs.readFile(file, 'utf8').catch(() => '-1');
  const limit = Number(text.trim().split(' ')[0]);
  return Number.isNaN(limit) || limit >= NO_LIMIT ? -1 : limit;
}

async function readNumber(file: string): Promise<number | undefined> {
  const text = await fs.readFile(file, 'utf8').catch(() => '');
  return text === '' ? undefined : Number(text);
}

/** The working set is the usage without inactive file cache. */
async function memoryUse(
  directory: string,
  files: { readonly limit: string; readonly usage: string; readonly inactive: string },
): Promise<MemoryUse | undefined> {
  const read = (file: string): Promise<string> => fs.readFile(path.join(directory, file), 'utf8').catch(() => '');
  const [limit, usage, stat] = await Promise.all([read(files.limit), read(files.usage), read('memory.stat')]);
  const limitBytes = Number(limit.trim() || Infinity);
  if (Number.isNaN(limitBytes) || limitBytes >= NO_LIMIT) return undefined;
  const inactive = Number(
    stat
      .split('\n')
      .find((line) => line.startsWith(`${files.inactive} `))
      ?.slice(files.inactive.length) ?? 0,
  );
  return { limitBytes, workingSetBytes: Math.max(0, Number(usage.trim()) - inactive) };
}

/** A new cpuset of cgroup v1 has no CPUs, so that no process could run in it: it gets those of its parent. */
async function inheritCpuset(root: string, cgroup: string): Promise<void> {
  let current = root;
  for (const name of cgroup.split('/').filter((part) => part !== '')) {
    const child = path.join(current, name);
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      const own = (await fs.readFile(path.join(child, file), 'utf8')).trim();
      if (own === '')
        await fs.writeFile(path.join(child, file), (await fs.readFile(path.join(current, file), 'utf8')).trim());
    }
    current = child;
  }
}

function cgroupV2(root: string): Hierarchies {
  const at = (cgroup: string): string => path.join(root, cgroup);
  const set = (cgroup: string, file: string, value: string): Promise<void> =>
    fs.writeFile(path.join(at(cgroup), file), value);
  return {
    version: 2,
    async create(cgroup) {
      await makeDirectory(at(cgroup));
      let current = root;
      for (const name of cgroup.split('/').filter((part) => part !== '')) {
        for (const controller of ['cpu', 'cpuset', 'memory', 'pids', 'io', 'hugetlb'])
          await fs.writeFile(path.join(current, 'cgroup.subtree_control'), `+${controller}`).catch(() => {});
        current = path.join(current, name);
      }
    },
    async apply(cgroup, { cpuShares, cpuQuota, cpuPeriod, memoryBytes, pids }) {
      if (cpuShares !== undefined) await set(cgroup, 'cpu.weight', String(weightOf(cpuShares)));
      if (cpuQuota !== undefined)
        await set(cgroup, 'cpu.max', cpuQuota < 0 ? 'max' : `${cpuQuota} ${cpuPeriod ?? 100_000}`);
      if (memoryBytes !== undefined) await set(cgroup, 'memory.max', memoryBytes < 0 ? 'max' : String(memoryBytes));
      if (pids !== undefined) await set(cgroup, 'pids.max', pids < 0 ? 'max' : String(pids));
    },
    async limits(cgroup) {
      const [cpuQuota, memoryBytes] = await Promise.all([
        readLimit(path.join(at(cgroup), 'cpu.max')),
        readLimit(path.join(at(cgroup), 'memory.max')),
      ]);
      return { cpuQuota, memoryBytes };
    },
    remove: (cgroup) => removeTree(at(cgroup)),
    list: (cgroup) => children(at(cgroup)),
    directory: at,
    memoryUsage: (cgroup) => readNumber(path.join(at(cgroup), 'memory.current')),
    memory: (cgroup) =>
      memoryUse(at(cgroup), { limit: 'memory.max', usage: 'memory.current', inactive: 'inactive_file' }),
  };
}

/** Maps CPU shares of v1, [2, 262144], to CPU weight of v2, [1, 10000]. */
export const weightOf = (shares: number): number => 1 + Math.floor(((shares - 2) * 9999) / 262_142);

async function children(directory: string): Promise<string[]> {
  const entries = await fs.readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function removeTree(directory: string): Promise<void> {
  for (const name of await children(directory)) await removeTree(path.join(directory, name));
  await fs.rmdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
