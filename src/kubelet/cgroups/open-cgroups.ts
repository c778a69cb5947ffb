/** The cgroups of pods and of their QoS classes, made directly in the file system. */
import path from 'node:path';
import type { Pod } from '../../api/generated/core-v1.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { parseQuantity } from '../../machinery/quantity/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import { bytes, milli, milliCpuToQuota, milliCpuToShares } from '../pod/container-resources.ts';
import { podRequests, podResources, qosClass } from '../pod/pod-resources.ts';
import { uidOf } from '../pod/pod-text.ts';
import type { CgroupManager } from './cgroup-manager.ts';
import { openHierarchies, type CgroupSettings } from './hierarchies.ts';

const REMOVE_TRIES = 50;
const REMOVE_PAUSE_MS = 20;
const CLASSES = ['burstable', 'besteffort'] as const;

export async function openCgroups(outer: Context, { config }: { config: KubeletConfiguration }): Promise<CgroupManager> {
  if (config.cgroupDriver !== 'cgroupfs') throw new Error(`the cgroup driver ${JSON.stringify(config.cgroupDriver)} is not supported; use "cgroupfs", in the runtime too`);
  const ctx = childContext(outer, 'cgroups');
  const hierarchies = await openHierarchies();
  const root = path.join('/', config.cgroupRoot, 'kubepods');
  const parentOf = (pod: Pod): string => {
    const qos = qosClass(pod);
    return qos === 'Guaranteed' ? root : path.join(root, qos.toLowerCase());
  };
  const pathOf = (pod: Pod): string => path.join(parentOf(pod), `pod${uidOf(pod)}`);

  const removeOnce = async (uid: string): Promise<void> => {
    for (const parent of [root, ...CLASSES.map((name) => path.join(root, name))]) await hierarchies.remove(path.join(parent, `pod${uid}`));
  };

  return {
    async prepare(allocatable) {
      for (const cgroup of [root, ...CLASSES.map((name) => path.join(root, name))]) await hierarchies.create(cgroup);
      await hierarchies.apply(path.join(root, 'besteffort'), { cpuShares: 2 });
      if (!config.enforceNodeAllocatable.includes('pods')) return;
      const memory = parseQuantity(allocatable['memory'] ?? '0').value() + hardMemory(config);
      await hierarchies.apply(root, { cpuShares: milliCpuToShares(milli(allocatable['cpu'])), ...(memory > 0 ? { memoryBytes: memory } : {}) });
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
      for (const pod of pods) if (qosClass(pod) === 'Burstable') burstable += podRequests(pod).get('cpu')?.milliValue() ?? 0;
      await hierarchies.apply(path.join(root, 'burstable'), { cpuShares: milliCpuToShares(burstable) });
    },
    async podUids() {
      const names = await Promise.all([root, ...CLASSES.map((name) => path.join(root, name))].map((parent) => hierarchies.list(parent)));
      return names.flat().filter((name) => name.startsWith('pod')).map((name) => name.slice('pod'.length));
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
