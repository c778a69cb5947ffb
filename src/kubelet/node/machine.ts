/** Facts about the machine from /proc, /sys and /etc: CPUs, memory, IDs and versions. */
import fs from 'node:fs/promises';
import os from 'node:os';

export interface Machine {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly hugePages: Readonly<Record<string, number>>;
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly architecture: string;
  readonly hostname: string;
  readonly swapBytes: number;
}

const ARCHITECTURES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    x64: 'amd64',
    arm64: 'arm64',
    arm: 'arm',
    ia32: '386',
    ppc64: 'ppc64le',
    s390x: 's390x',
    riscv64: 'riscv64',
    loong64: 'loong64',
  }),
);

export async function readMachine(): Promise<Machine> {
  const [memory, machineId, systemUuid, bootId, osRelease, hugePages] = await Promise.all([
    readText('/proc/meminfo'),
    firstText(['/etc/machine-id', '/var/lib/dbus/machine-id']),
    firstText(['/sys/class/dmi/id/product_uuid', '/proc/device-tree/vm,uuid', '/etc/machine-id']),
    readText('/proc/sys/kernel/random/boot_id'),
    readText('/etc/os-release'),
    readHugePages(),
  ]);
  return {
    cpus: os.cpus().length,
    memoryBytes: kilobytes(memory, 'MemTotal'),
    swapBytes: kilobytes(memory, 'SwapTotal'),
    hugePages,
    machineId: machineId.trim(),
    systemUuid: systemUuid.trim(),
    bootId: bootId.trim(),
    kernelVersion: os.release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(osRelease)?.[1] ?? 'Linux',
    architecture: ARCHITECTURES.get(process.arch) ?? process.arch,
    hostname: os.hostname().toLowerCase(),
  };
}

const readText = (file: string): Promise<string> => fs.readFile(file, 'utf8').catch(() => '');

async function firstText(files: readonly string[]): Promise<string> {
  for (const file of files) {
    const text = await readText(file);
    if (text.trim() !== '') return text;
  }
  return '';
}

const kilobytes = (meminfo: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo)?.[1] ?? 0) * 1024;

/** Bytes of huge pages by page size, named as in resources: `2Mi`. */
async function readHugePages(): Promise<Record<string, number>> {
  const root = '/sys/kernel/mm/hugepages';
  const result: Record<string, number> = {};
  for (const name of await fs.readdir(root).catch(() => [])) {
    const size = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1]) * 1024;
    if (!Number.isFinite(size)) continue;
    result[size >= 2 ** 30 ? `${size / 2 ** 30}Gi` : size >= 2 ** 20 ? `${size / 2 ** 20}Mi` : `${size / 1024}Ki`] =
      size * Number(await readText(`${root}/${name}/nr_hugepages`));
  }
  return result;
}

export interface FilesystemUse {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  /** Excludes blocks reserved for root, which are neither used nor available. */
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

export async function filesystemUse(directory: string): Promise<FilesystemUse> {
  const { bsize, blocks, bavail, bfree, files, ffree } = await fs.statfs(directory);
  return {
    capacityBytes: bsize * blocks,
    availableBytes: bsize * bavail,
    usedBytes: bsize * (blocks - bfree),
    inodes: files,
    inodesFree: ffree,
  };
}

/** Memory for new processes: free memory and what the kernel can reclaim. */
export async function memoryAvailable(): Promise<number> {
  return kilobytes(await readText('/proc/meminfo'), 'MemAvailable');
}

export async function processCounts(): Promise<{ readonly running: number; readonly max: number }> {
  const [load, pidMax, threadsMax] = await Promise.all([
    readText('/proc/loadavg'),
    readText('/proc/sys/kernel/pid_max'),
    readText('/proc/sys/kernel/threads-max'),
  ]);
  return {
    running: Number(/\/(\d+)/.exec(load)?.[1] ?? 0),
    max: Math.min(Number(pidMax) || 32_768, Number(threadsMax) || 32_768),
  };
}
