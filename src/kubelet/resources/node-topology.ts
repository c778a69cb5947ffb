/**
 * The CPU and NUMA topology of the machine from /sys: core, socket, NUMA node and cache of each CPU, memory of each
 * NUMA node.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { parseCpuSet } from './cpu-set.ts';

export interface CpuInfo {
  readonly id: number;
  /** Unique on the whole machine, unlike the kernel's core_id. */
  readonly core: number;
  readonly socket: number;
  readonly numa: number;
  /** The ID of the last-level cache, shared by several CPUs. */
  readonly uncoreCache?: number;
}

interface NumaNode {
  readonly id: number;
  readonly memoryBytes: number;
  /** Bytes by page size, named as in resources: `2Mi`. */
  readonly hugePages: Readonly<Record<string, number>>;
}

export interface NodeTopology {
  readonly cpus: readonly CpuInfo[];
  readonly numaNodes: readonly NumaNode[];
}

export async function readTopology(sys = '/sys/devices/system'): Promise<NodeTopology> {
  const online = parseCpuSet(await text(path.join(sys, 'cpu/online')));
  const nodeNames = (await fs.readdir(path.join(sys, 'node')).catch(() => [])).filter((name) => /^node\d+$/.test(name));
  const numaNodes = await Promise.all(
    nodeNames.map((name) => readNumaNode(path.join(sys, 'node', name), Number(name.slice('node'.length)))),
  );
  numaNodes.sort((a, b) => a.id - b.id);
  const numaOf = new Map(numaNodes.flatMap(({ id, cpus }) => cpus.map((cpu): [number, number] => [cpu, id])));
  const cpus = await Promise.all(
    online.map(async (id): Promise<CpuInfo> => {
      const directory = path.join(sys, 'cpu', `cpu${id}`, 'topology');
      const [siblings, socket] = await Promise.all([
        text(path.join(directory, 'thread_siblings_list')),
        text(path.join(directory, 'physical_package_id')),
      ]);
      const sharing = parseCpuSet(await text(path.join(sys, 'cpu', `cpu${id}`, 'cache/index3/shared_cpu_list')));
      return {
        id,
        core: Math.min(id, ...parseCpuSet(siblings)),
        socket: Math.max(0, Number(socket.trim() || 0)),
        numa: numaOf.get(id) ?? 0,
        ...(sharing.length === 0 ? {} : { uncoreCache: Math.min(id, ...sharing) }),
      };
    }),
  );
  return {
    cpus,
    numaNodes:
      numaNodes.length === 0
        ? [{ id: 0, memoryBytes: 0, hugePages: {} }]
        : numaNodes.map(({ id, memoryBytes, hugePages }) => ({ id, memoryBytes, hugePages })),
  };
}

async function readNumaNode(directory: string, id: number): Promise<NumaNode & { readonly cpus: readonly number[] }> {
  const [cpuList, meminfo] = await Promise.all([
    text(path.join(directory, 'cpulist')),
    text(path.join(directory, 'meminfo')),
  ]);
  const hugePages: Record<string, number> = {};
  for (const name of await fs.readdir(path.join(directory, 'hugepages')).catch(() => [])) {
    const size = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1]) * 1024;
    if (Number.isFinite(size))
      hugePages[
        size >= 2 ** 30 ? `${size / 2 ** 30}Gi` : size >= 2 ** 20 ? `${size / 2 ** 20}Mi` : `${size / 1024}Ki`
      ] = size * Number(await text(path.join(directory, 'hugepages', name, 'nr_hugepages')));
  }
  return {
    id,
    cpus: parseCpuSet(cpuList),
    memoryBytes: Number(/MemTotal:\s+(\d+) kB/.exec(meminfo)?.[1] ?? 0) * 1024,
    hugePages,
  };
}

const text = (file: string): Promise<string> => fs.readFile(file, 'utf8').catch(() => '');
