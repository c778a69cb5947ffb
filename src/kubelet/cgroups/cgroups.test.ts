import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { createTestContext } from '../../kernel/index.ts';
import { DEFAULT_KUBELET_CONFIGURATION } from '../configuration/kubelet-configuration.ts';
import { cgroupfsNames, systemdNames } from './cgroup-names.ts';
import { openHierarchies } from './hierarchies.ts';
import { openCgroups } from './open-cgroups.ts';
import { checkSystemd, sliceProperties } from './systemd-slices.ts';

const UID = '1234abcd-56-78';
const pod = (resources: object = {}): Pod => ({
  metadata: { name: 'p', namespace: 'ns', uid: UID },
  spec: { containers: [{ name: 'main', resources }] },
});
const BURSTABLE = pod({ requests: { cpu: '500m' }, limits: { cpu: '1', memory: '64Mi' } });
const GUARANTEED = pod({ requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } });

describe('names', () => {
  it.each([
    ['cgroupfs', cgroupfsNames(''), `/kubepods/burstable/pod${UID}`],
    ['cgroupfs below a root', cgroupfsNames('/k8ts/a'), `/k8ts/a/kubepods/burstable/pod${UID}`],
    [
      'systemd',
      systemdNames(''),
      '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234abcd_56_78.slice',
    ],
    [
      'systemd at the root',
      systemdNames('/'),
      '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234abcd_56_78.slice',
    ],
    [
      'systemd below a slice',
      systemdNames('/a.slice/a-b.slice'),
      '/a.slice/a-b.slice/a-b-kubepods.slice/a-b-kubepods-burstable.slice/a-b-kubepods-burstable-pod1234abcd_56_78.slice',
    ],
  ])('of %s', (_, names, expected) => {
    expect(names.path(['kubepods', 'burstable', `pod${UID}`])).toBe(expected);
    expect(names.podUid(path.basename(expected))).toBe(UID);
    expect(names.podUid(path.basename(names.path(['kubepods', 'burstable'])))).toBeUndefined();
  });
});

/** A version 2 hierarchy of plain files: what would be the kernel's is written, and can be read. */
describe('version 2', () => {
  let root: string;
  beforeEach(async () => {
    root = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-cgroup2-'));
    await fs.writeFile(path.join(root, 'cgroup.controllers'), 'cpuset cpu io memory hugetlb pids\n');
  });
  afterEach(() => fs.rm(root, { recursive: true, force: true }));
  const config = { ...DEFAULT_KUBELET_CONFIGURATION, evictionHard: { 'memory.available': '100Mi' }, podPidsLimit: 50 };
  const read = (file: string): Promise<string> => fs.readFile(path.join(root, file), 'utf8');

  it('has node allocatable, the weights of QoS classes, and the limits of a pod', async () => {
    const cgroups = await openCgroups(createTestContext(), { config, hierarchies: await openHierarchies(root) });
    await cgroups.prepare({ cpu: '2', memory: '1Gi' });
    expect(await read('kubepods/memory.max')).toBe(String(2 ** 30 + 100 * 2 ** 20));
    expect([await read('kubepods/cpu.weight'), await read('kubepods/besteffort/cpu.weight')]).toEqual(['79', '1']);
    expect(await cgroups.ensurePod(BURSTABLE)).toBe(`/kubepods/burstable/pod${UID}`);
    const at = `kubepods/burstable/pod${UID}`;
    expect(
      await Promise.all(['cpu.weight', 'cpu.max', 'memory.max', 'pids.max'].map((file) => read(`${at}/${file}`))),
    ).toEqual(['20', '100000 100000', String(64 * 2 ** 20), '50']);
    expect(await read('kubepods/burstable/cgroup.subtree_control')).toMatch(/^\+/);
    await fs.rm(path.join(root, 'kubepods/burstable'), { recursive: true });
    await cgroups.updateQos([BURSTABLE, BURSTABLE]);
    expect(await read('kubepods/burstable/cpu.weight')).toBe('39');
    await cgroups.ensurePod(BURSTABLE);
    expect(await cgroups.podUids()).toEqual([UID]);
    expect(cgroups.podPath(BURSTABLE, 'memory')).toBe(path.join(root, at));
  });

  it('a pod without limits has none, and a guaranteed pod is outside of the QoS cgroups', async () => {
    const cgroups = await openCgroups(createTestContext(), {
      config: { ...config, podPidsLimit: -1 },
      hierarchies: await openHierarchies(root),
    });
    expect(await cgroups.ensurePod(pod())).toBe(`/kubepods/besteffort/pod${UID}`);
    expect(
      await Promise.all(['cpu.max', 'memory.max'].map((file) => read(`kubepods/besteffort/pod${UID}/${file}`))),
    ).toEqual(['max', 'max']);
    expect(await cgroups.ensurePod(GUARANTEED)).toBe(`/kubepods/pod${UID}`);
  });

  it('reports the usage of all pods', async () => {
    const cgroups = await openCgroups(createTestContext(), { config, hierarchies: await openHierarchies(root) });
    await cgroups.prepare({ cpu: '1', memory: '100Mi' });
    await fs.writeFile(path.join(root, 'kubepods/memory.current'), '5000\n');
    await fs.writeFile(path.join(root, 'kubepods/memory.stat'), 'anon 1\ninactive_file 1200\n');
    expect(await cgroups.podsMemory()).toEqual({ limitBytes: 200 * 2 ** 20, workingSetBytes: 3800 });
    await fs.writeFile(path.join(root, 'kubepods/memory.max'), 'max\n');
    expect(await cgroups.podsMemory()).toBeUndefined();
  });

  it('is removed with everything below', async () => {
    const hierarchies = await openHierarchies(root);
    await fs.mkdir(path.join(root, 'kubepods/burstable/podx/container'), { recursive: true });
    await hierarchies.remove('/kubepods/burstable');
    expect(await hierarchies.list('/kubepods')).toEqual([]);
    await hierarchies.remove('/kubepods/absent');
  });

  it("is systemd's where it is the driver", async () => {
    const calls: string[] = [];
    const systemctl = async (args: readonly string[]): Promise<void> => {
      calls.push(args.join(' '));
      const names = systemdNames('');
      // As systemd would: a slice's folder comes with its start.
      if (args[0] === 'start')
        await fs.mkdir(
          path.join(
            root,
            args[1]?.includes('-pod')
              ? names.path(['kubepods', 'burstable', `pod${UID}`])
              : names.path((args[1] ?? '').replace('.slice', '').split('-')),
          ),
          { recursive: true },
        );
    };
    const cgroups = await openCgroups(createTestContext(), {
      config,
      driver: 'systemd',
      hierarchies: await openHierarchies(root),
      systemctl,
    });
    await cgroups.prepare({ cpu: '2', memory: '1Gi' });
    expect(await cgroups.ensurePod(BURSTABLE)).toBe(
      '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234abcd_56_78.slice',
    );
    expect(await cgroups.podUids()).toEqual([UID]);
    await cgroups.removePod(UID);
    expect(calls).toEqual([
      'start kubepods.slice',
      'start kubepods-burstable.slice',
      'start kubepods-besteffort.slice',
      'set-property --runtime kubepods-besteffort.slice CPUWeight=1',
      `set-property --runtime kubepods.slice CPUWeight=79 MemoryMax=${2 ** 30 + 100 * 2 ** 20}`,
      'start kubepods-burstable-pod1234abcd_56_78.slice',
      `set-property --runtime kubepods-burstable-pod1234abcd_56_78.slice CPUWeight=20 CPUQuota=100% CPUQuotaPeriodSec=100000us MemoryMax=${64 * 2 ** 20} TasksMax=50`,
      'stop kubepods-burstable-pod1234abcd_56_78.slice',
    ]);
    expect(await cgroups.podUids()).toEqual([]);
  });
});

describe('systemd', () => {
  it('is refused by name where it does not run', async () => {
    await expect(checkSystemd('/does/not/exist')).rejects.toThrow(
      'the cgroup driver "systemd" needs systemd, which does not run on this machine; use "cgroupfs", in the runtime too',
    );
  });

  it.each([
    [
      2,
      { cpuShares: 1024, cpuQuota: -1, memoryBytes: -1, pids: -1 },
      ['CPUWeight=39', 'CPUQuota=', 'MemoryMax=infinity', 'TasksMax=infinity'],
    ],
    [
      1,
      { cpuShares: 1024, cpuQuota: 50_000, cpuPeriod: 100_000, memoryBytes: 5 },
      ['CPUShares=1024', 'CPUQuota=50%', 'CPUQuotaPeriodSec=100000us', 'MemoryLimit=5'],
    ],
  ] as const)('version %i has properties of its own', (version, settings, expected) => {
    expect(sliceProperties(settings, version)).toEqual(expected);
  });
});
