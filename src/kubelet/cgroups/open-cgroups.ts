/** The cgroups of pods and of their QoS classes: made directly in the file system, or by systemd. */
import { basename } from 'node:path';
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { podQos } from '../../component-helpers/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import { bytes, milli, milliCpuToQuota, milliCpuToShares } from '../pod/container-resources.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { allocatedRequests, podResources } from '../pod/pod-resources.ts';
import type { CgroupManager } from './cgroup-manager.ts';
import { cgroupfsNames, systemdNames } from './cgroup-names.ts';
import { openHierarchies, type CgroupSettings, type Hierarchies } from './hierarchies.ts';
import { checkSystemd, systemdSlices, type Systemctl } from './systemd-slices.ts';

const REMOVE_TRIES = 50;
const REMOVE_PAUSE_MS = 20;
const CLASSES = ['burstable', 'besteffort'] as const;

export interface OpenCgroupsOptions {
  readonly config: KubeletConfiguration;
  /** What the runtime says it has; it counts over the configuration, since both must have the same. */
  readonly driver?: CgroupDriver;
  /** Instead of the machine's. */
  readonly hierarchies?: Hierarchies;
  readonly systemctl?: Systemctl;
}

export type CgroupDriver = 'cgroupfs' | 'systemd';

export async function openCgroups(
  outer: Context,
  { config, driver, hierarchies: given, systemctl }: OpenCgroupsOptions,
): Promise<CgroupManager> {
  const ctx = childContext(outer, 'cgroups');
  const isSystemd = (driver ?? config.cgroupDriver) === 'systemd';
  if (isSystemd && systemctl === undefined) await checkSystemd();
  const files = given ?? (await openHierarchies());
  const hierarchies = isSystemd ? systemdSlices(files, systemctl) : files;
  const names = isSystemd ? systemdNames(config.cgroupRoot) : cgroupfsNames(config.cgroupRoot);
  const root = names.path(['kubepods']);
  const classPaths = CLASSES.map((name) => names.path(['kubepods', name]));
  const partsOf = (qos: string): string[] => (qos === 'Guaranteed' ? ['kubepods'] : ['kubepods', qos.toLowerCase()]);
  const pathOf = (pod: Pod): string => names.path([...partsOf(podQos(pod)), `pod${uidOf(pod)}`]);

  const removeOnce = async (uid: string): Promise<void> => {
    for (const parent of [['kubepods'], ...CLASSES.map((name) => ['kubepods', name])]) {
      const cgroup = names.path([...parent, `pod${uid}`]);
      // systemd would be told of slices that never were.
      if (!isSystemd || (await hierarchies.list(names.path(parent))).includes(basename(cgroup)))
        await hierarchies.remove(cgroup);
    }
  };

  return {
    async prepare(allocatable) {
      for (const cgroup of [root, ...classPaths]) await hierarchies.create(cgroup);
      await hierarchies.apply(names.path(['kubepods', 'besteffort']), { cpuShares: 2 });
      if (!config.enforceNodeAllocatable.includes('pods')) return;
      const memory = parseQuantity(allocatable['memory'] ?? '0').value() + hardMemory(config);
      await hierarchies.apply(root, {
        cpuShares: milliCpuToShares(milli(allocatable['cpu'])),
        ...(memory > 0 ? { memoryBytes: memory } : {}),
      });
    },
    async ensurePod(pod) {
      const cgroup = pathOf(pod);
      await hierarchies.create(cgroup);
      await hierarchies.apply(cgroup, podSettings(pod, config));
      return cgroup;
    },
    async removePod(uid) {
      for (let tries = 0; ; tries++) {
        try {
          return await removeOnce(uid);
        } catch (error) {
          // The kernel takes a moment to notice that the last process has gone.
          if (tries >= REMOVE_TRIES) throw error;
          await ctx.clock.sleep(REMOVE_PAUSE_MS, ctx.signal);
        }
      }
    },
    async updateQos(pods) {
      let burstable = 0;
      for (const pod of pods)
        if (podQos(pod) === 'Burstable') burstable += allocatedRequests(pod).get('cpu')?.milliValue() ?? 0;
      await hierarchies.apply(names.path(['kubepods', 'burstable']), { cpuShares: milliCpuToShares(burstable) });
    },
    async podUids() {
      const found = await Promise.all([root, ...classPaths].map((parent) => hierarchies.list(parent)));
      return found.flat().flatMap((name) => names.podUid(name) ?? []);
    },
    podPath: (pod, controller) => hierarchies.directory(pathOf(pod), controller),
    podsMemory: () => hierarchies.memory(root),
  };
}

/** Allocatable leaves the eviction threshold out, but pods may reach into it before they are stopped by it. */
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
