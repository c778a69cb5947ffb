/** The cgroups of pods and QoS classes, created in the cgroup file system or by systemd, as the cgroup driver says. */
import { basename } from 'node:path';
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { podQos } from '../../component-helpers/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import { bytes, milli, milliCpuToQuota, milliCpuToShares } from '../pod/container-resources.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { allocatedRequests, podResources } from '../pod/pod-resources.ts';
import type { CgroupManager, MemoryUse, PodMemory } from './cgroup-manager.ts';
import { cgroupfsNames, systemdNames, type CgroupNames } from './cgroup-names.ts';
import { openHierarchies, type CgroupSettings, type Hierarchies } from './hierarchies.ts';
import { checkSystemd, systemdSlices, type Systemctl } from './systemd-slices.ts';

const MAX_REMOVE_TRIES = 50;
const REMOVE_RETRY_MS = 20;
/** The cgroups that hold pods' cgroups: Guaranteed pods lie in kubepods itself. */
const POD_PARENTS = [['kubepods'], ['kubepods', 'burstable'], ['kubepods', 'besteffort']] as const;

interface OpenCgroupsOptions {
  readonly config: KubeletConfiguration;
  /** The driver of the runtime. It overrides the configuration, because kubelet and runtime must use the same. */
  readonly driver?: CgroupDriver;
  readonly hierarchies?: Hierarchies;
  readonly systemctl?: Systemctl;
}

export type CgroupDriver = 'cgroupfs' | 'systemd';

export async function openCgroups(
  ctx: Context,
  { config, driver, hierarchies: given, systemctl }: OpenCgroupsOptions,
): Promise<CgroupManager> {
  const isSystemd = (driver ?? config.cgroupDriver) === 'systemd';
  if (isSystemd && systemctl === undefined) await checkSystemd();
  const files = given ?? (await openHierarchies());
  return new PodCgroups(childContext(ctx, 'cgroups'), config, {
    isSystemd,
    hierarchies: isSystemd ? systemdSlices(files, systemctl) : files,
    names: isSystemd ? systemdNames(config.cgroupRoot) : cgroupfsNames(config.cgroupRoot),
  });
}

interface CgroupAccess {
  readonly isSystemd: boolean;
  readonly hierarchies: Hierarchies;
  readonly names: CgroupNames;
}

class PodCgroups implements CgroupManager {
  readonly #ctx: Context;
  readonly #config: KubeletConfiguration;
  readonly #isSystemd: boolean;
  readonly #hierarchies: Hierarchies;
  readonly #names: CgroupNames;

  constructor(ctx: Context, config: KubeletConfiguration, { isSystemd, hierarchies, names }: CgroupAccess) {
    this.#ctx = ctx;
    this.#config = config;
    this.#isSystemd = isSystemd;
    this.#hierarchies = hierarchies;
    this.#names = names;
  }

  async prepare(allocatable: Readonly<Record<string, string>>): Promise<void> {
    const root = this.#names.path(['kubepods']);
    for (const parent of POD_PARENTS) await this.#hierarchies.create(this.#names.path(parent));
    await this.#hierarchies.apply(this.#names.path(['kubepods', 'besteffort']), { cpuShares: 2 });
    if (!this.#config.enforceNodeAllocatable.includes('pods')) return;
    const memory = parseQuantity(allocatable['memory'] ?? '0').value() + hardMemory(this.#config);
    await this.#hierarchies.apply(root, {
      cpuShares: milliCpuToShares(milli(allocatable['cpu'])),
      ...(memory > 0 ? { memoryBytes: memory } : {}),
    });
  }

  async ensurePod(pod: Pod): Promise<string> {
    const cgroup = this.#pathOf(pod);
    await this.#hierarchies.create(cgroup);
    await this.#hierarchies.apply(cgroup, podSettings(pod, this.#config));
    return cgroup;
  }

  async raisePod(pod: Pod): Promise<void> {
    const cgroup = this.#pathOf(pod);
    const wanted = podSettings(pod, this.#config);
    const current = await this.#hierarchies.limits(cgroup);
    const isRaised = (limit: 'cpuQuota' | 'memoryBytes'): boolean =>
      current[limit] !== -1 && (wanted[limit] === -1 || (wanted[limit] ?? 0) > (current[limit] ?? 0));
    await this.#hierarchies.apply(cgroup, {
      ...(isRaised('cpuQuota') ? { cpuQuota: wanted.cpuQuota ?? -1, cpuPeriod: wanted.cpuPeriod ?? 0 } : {}),
      ...(isRaised('memoryBytes') ? { memoryBytes: wanted.memoryBytes ?? -1 } : {}),
    });
  }

  async removePod(uid: string): Promise<void> {
    const { clock, signal } = this.#ctx;
    for (let tries = 0; ; tries++) {
      try {
        return await this.#removeOnce(uid);
      } catch (error) {
        // The kernel takes a moment to notice that the last process has exited.
        if (tries >= MAX_REMOVE_TRIES) throw error;
        await clock.sleep(REMOVE_RETRY_MS, signal);
      }
    }
  }

  async #removeOnce(uid: string): Promise<void> {
    for (const parent of POD_PARENTS) {
      const cgroup = this.#names.path([...parent, `pod${uid}`]);
      // systemd fails to stop a slice that does not exist.
      const exists = async (): Promise<boolean> =>
        (await this.#hierarchies.list(this.#names.path(parent))).includes(basename(cgroup));
      if (!this.#isSystemd || (await exists())) await this.#hierarchies.remove(cgroup);
    }
  }

  async updateQos(pods: readonly Pod[]): Promise<void> {
    let burstable = 0;
    for (const pod of pods)
      if (podQos(pod) === 'Burstable') burstable += allocatedRequests(pod).get('cpu')?.milliValue() ?? 0;
    const cgroup = this.#names.path(['kubepods', 'burstable']);
    // Whoever tidies up the machine's cgroups may remove those that have no processes.
    await this.#hierarchies.create(cgroup);
    await this.#hierarchies.apply(cgroup, { cpuShares: milliCpuToShares(burstable) });
  }

  async podUids(): Promise<string[]> {
    const found = await Promise.all(POD_PARENTS.map((parent) => this.#hierarchies.list(this.#names.path(parent))));
    return found.flat().flatMap((name) => this.#names.podUid(name) ?? []);
  }

  podPath(pod: Pod, controller: string): string {
    return this.#hierarchies.directory(this.#pathOf(pod), controller);
  }

  async podMemory(pod: Pod): Promise<PodMemory | undefined> {
    const cgroup = this.#pathOf(pod);
    const [usageBytes, { memoryBytes }] = await Promise.all([
      this.#hierarchies.memoryUsage(cgroup),
      this.#hierarchies.limits(cgroup),
    ]);
    if (usageBytes === undefined) return undefined;
    return { usageBytes, limitBytes: memoryBytes === -1 ? undefined : memoryBytes };
  }

  podsMemory(): Promise<MemoryUse | undefined> {
    return this.#hierarchies.memory(this.#names.path(['kubepods']));
  }

  #pathOf(pod: Pod): string {
    const qos = podQos(pod);
    const parent = qos === 'Guaranteed' ? ['kubepods'] : ['kubepods', qos.toLowerCase()];
    return this.#names.path([...parent, `pod${uidOf(pod)}`]);
  }
}

/** Allocatable excludes the hard eviction threshold, but pods may use that memory until the eviction manager reacts. */
const hardMemory = (config: KubeletConfiguration): number => {
  const text = config.evictionHard['memory.available'];
  return text === undefined || text.endsWith('%') ? 0 : bytes(text);
};

function podSettings(pod: Pod, config: KubeletConfiguration): CgroupSettings {
  const { requests = {}, limits = {} } = podResources(pod);
  const period = config.cpuCFSQuotaPeriod * 1000;
  const quota = config.cpuCFSQuota ? milliCpuToQuota(milli(limits['cpu']), period) : 0;
  return {
    cpuShares: milliCpuToShares(milli(requests['cpu'])),
    cpuQuota: quota > 0 ? quota : -1,
    cpuPeriod: period,
    memoryBytes: limits['memory'] === undefined ? -1 : bytes(limits['memory']),
    ...(config.podPidsLimit > 0 ? { pids: config.podPidsLimit } : {}),
  };
}
