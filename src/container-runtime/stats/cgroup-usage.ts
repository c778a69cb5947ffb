/** Reads CPU, memory, swap and process usage of a cgroup, version 1 or 2. */
import fs from 'node:fs';
import path from 'node:path';
import type { PsiStats } from '../../cri/index.ts';
import type { CgroupTree } from './cgroup-tree.ts';

export interface CgroupUsage {
  readonly cpuNanoseconds: number;
  readonly cpuPressure?: PsiStats;
  readonly memory: MemoryUsageNumbers;
  readonly swap?: { readonly usage: number; readonly limit: number | undefined };
  readonly ioPressure?: PsiStats;
  readonly processes: number;
}

interface MemoryUsageNumbers {
  readonly usage: number;
  /** Usage without inactive file cache, which the kernel can drop at once. */
  readonly workingSet: number;
  readonly rss: number;
  /** Undefined means unlimited. */
  readonly limit: number | undefined;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
  readonly pressure?: PsiStats;
}

/** Version 1 shows "unlimited" as the largest multiple of the page size. */
const NO_LIMIT_V1 = 2 ** 62;

/** Undefined if the cgroup does not exist. */
export function readCgroupUsage(tree: CgroupTree, cgroup: string): CgroupUsage | undefined {
  return tree.version === 2 ? readVersion2(tree, cgroup) : readVersion1(tree, cgroup);
}

/** Only the CPU time of the cgroup and its children, which is a single file. */
export function readCpuNanoseconds(tree: CgroupTree, cgroup: string): number | undefined {
  if (tree.version === 2) {
    const microseconds = keyed(readerOf(tree.folder('', cgroup))('cpu.stat')).get('usage_usec');
    return microseconds === undefined ? undefined : microseconds * 1000;
  }
  const text = readerOf(tree.folder('cpuacct', cgroup))('cpuacct.usage');
  return text === undefined ? undefined : Number(text);
}

/** How many processes of the cgroup the kernel's OOM killer has ended; 0 if the cgroup does not exist. */
export function readOomKills(tree: CgroupTree, cgroup: string): number {
  const text =
    tree.version === 2
      ? readerOf(tree.folder('', cgroup))('memory.events')
      : readerOf(tree.folder('memory', cgroup))('memory.oom_control');
  return keyed(text).get('oom_kill') ?? 0;
}

function readVersion2(tree: CgroupTree, cgroup: string): CgroupUsage | undefined {
  const read = readerOf(tree.folder('', cgroup));
  const current = read('memory.current');
  const cpu = keyed(read('cpu.stat'));
  if (current === undefined && cpu.size === 0) return undefined;
  const stat = keyed(read('memory.stat'));
  const usage = Number(current ?? 0);
  const swap = read('memory.swap.current');
  return {
    cpuNanoseconds: (cpu.get('usage_usec') ?? 0) * 1000,
    ...pressure('cpuPressure', read('cpu.pressure')),
    memory: {
      usage,
      workingSet: Math.max(0, usage - (stat.get('inactive_file') ?? 0)),
      rss: stat.get('anon') ?? 0,
      limit: limitOf(read('memory.max')),
      pageFaults: stat.get('pgfault') ?? 0,
      majorPageFaults: stat.get('pgmajfault') ?? 0,
      ...pressure('pressure', read('memory.pressure')),
    },
    ...(swap === undefined ? {} : { swap: { usage: Number(swap), limit: limitOf(read('memory.swap.max')) } }),
    ...pressure('ioPressure', read('io.pressure')),
    processes: Number(read('pids.current') ?? 0),
  };
}

function readVersion1(tree: CgroupTree, cgroup: string): CgroupUsage | undefined {
  const memory = readerOf(tree.folder('memory', cgroup));
  const cpu = readerOf(tree.folder('cpuacct', cgroup))('cpuacct.usage');
  const current = memory('memory.usage_in_bytes');
  if (current === undefined && cpu === undefined) return undefined;
  const stat = keyed(memory('memory.stat'));
  const usage = Number(current ?? 0);
  const withSwap = memory('memory.memsw.usage_in_bytes');
  const limit = limitOf(memory('memory.limit_in_bytes'));
  const limitWithSwap = limitOf(memory('memory.memsw.limit_in_bytes'));
  return {
    cpuNanoseconds: Number(cpu ?? 0),
    memory: {
      usage,
      workingSet: Math.max(0, usage - (stat.get('total_inactive_file') ?? 0)),
      rss: stat.get('total_rss') ?? 0,
      limit,
      pageFaults: stat.get('total_pgfault') ?? 0,
      majorPageFaults: stat.get('total_pgmajfault') ?? 0,
    },
    ...(withSwap === undefined
      ? {}
      : {
          swap: {
            usage: Math.max(0, Number(withSwap) - usage),
            limit: limitWithSwap === undefined ? undefined : Math.max(0, limitWithSwap - (limit ?? 0)),
          },
        }),
    processes: Number(readerOf(tree.folder('pids', cgroup))('pids.current') ?? 0),
  };
}

function readerOf(folder: string | undefined): (file: string) => string | undefined {
  return (file) => {
    if (folder === undefined) return undefined;
    try {
      return fs.readFileSync(path.join(folder, file), 'utf8').trim();
    } catch {
      return undefined;
    }
  };
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined || text === 'max') return undefined;
  const limit = Number(text);
  return limit >= NO_LIMIT_V1 ? undefined : limit;
}

/** Parses lines of `name number`. */
function keyed(text: string | undefined): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of (text ?? '').split('\n')) {
    const space = line.indexOf(' ');
    if (space > 0) values.set(line.slice(0, space), Number(line.slice(space + 1)));
  }
  return values;
}

function pressure<Name extends string>(name: Name, text: string | undefined): Partial<Record<Name, PsiStats>> {
  const parsed = parsePressure(text);
  return parsed === undefined ? {} : ({ [name]: parsed } as Record<Name, PsiStats>);
}

/** `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`, and the same for `full`. */
export function parsePressure(text: string | undefined): PsiStats | undefined {
  if (text === undefined || text === '') return undefined;
  const parsed: { Some?: object; Full?: object } = {};
  for (const line of text.split('\n')) {
    const [kind, ...fields] = line.split(' ');
    const values = new Map(
      fields.map((field) => field.split('=') as [string, string]).map(([key, value]) => [key, Number(value)]),
    );
    const data = {
      Total: values.get('total') ?? 0,
      Avg10: values.get('avg10') ?? 0,
      Avg60: values.get('avg60') ?? 0,
      Avg300: values.get('avg300') ?? 0,
    };
    if (kind === 'some') parsed.Some = data;
    if (kind === 'full') parsed.Full = data;
  }
  return parsed;
}
