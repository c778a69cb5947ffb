import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { CpuManager } from './cpu-manager.ts';
import { parseCpuPolicyOptions } from './cpu-policy-options.ts';
import { formatCpuSet } from './cpu-set.ts';
import { distributeCpus } from './distribute-cpus.ts';
import type { NodeTopology } from './node-topology.ts';
import { takeCpus } from './take-cpus.ts';
import { TopologyManager } from './topology-manager.ts';

/** Two sockets of two NUMA nodes of two caches of two cores: 16 cores, of which n has the threads n and n+16. */
const FOUR_NODES: NodeTopology = {
  cpus: Array.from({ length: 32 }, (_, id) => {
    const core = id % 16;
    return { id, core, socket: Math.floor(core / 8), numa: Math.floor(core / 4), uncoreCache: Math.floor(core / 2) };
  }),
  numaNodes: [0, 1, 2, 3].map((id) => ({ id, memoryBytes: 2 ** 30, hugePages: {} })),
};
const ALL = FOUR_NODES.cpus.map(({ id }) => id);
const without = (...cpus: number[]): number[] => ALL.filter((cpu) => !cpus.includes(cpu));

let directory: string;
beforeEach(async () => {
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-cpus-'));
});
afterEach(() => fs.rm(directory, { recursive: true, force: true }));

const ALPHA = { CPUManagerPolicyAlphaOptions: true };
const manager = (
  options: Record<string, string>,
  {
    reserved = [0],
    topologyPolicy = 'none',
    topology = FOUR_NODES,
  }: { reserved?: number[]; topologyPolicy?: string; topology?: NodeTopology } = {},
): CpuManager =>
  new CpuManager({
    policy: 'static',
    options,
    featureGates: ALPHA,
    topologyPolicy,
    rootDirectory: directory,
    topology,
    reserved: { cpus: reserved },
  });
const guaranteed = (uid: string, cpu: number): Pod => ({
  metadata: { uid, name: uid, namespace: 'ns' },
  spec: {
    containers: [
      {
        name: 'main',
        resources: { limits: { cpu: String(cpu), memory: '1Gi' }, requests: { cpu: String(cpu), memory: '1Gi' } },
      },
    ],
  },
});
/** What a pod gets that may come from anywhere. */
const given = async (cpus: CpuManager, count: number, policy = 'none'): Promise<string> => {
  const rejection = await new TopologyManager({
    policy,
    scope: 'container',
    numaNodes: FOUR_NODES.numaNodes.map(({ id }) => id),
    providers: [cpus],
  }).admit(guaranteed('a', count));
  return rejection === undefined ? formatCpuSet(cpus.exclusiveOf('a', 'main') ?? []) : rejection.message;
};

describe('options', () => {
  it.each([
    ['an unknown one', { none: 'true' }, {}, 'unknown CPU Manager Policy option: "none"'],
    [
      'one that is not ready for all',
      { 'align-by-socket': 'true' },
      {},
      'CPU Manager Policy Alpha-level Options not enabled, but option "align-by-socket" provided',
    ],
    [
      'one whose level is off',
      { 'distribute-cpus-across-numa': 'true' },
      { CPUManagerPolicyBetaOptions: false },
      'CPU Manager Policy Beta-level Options not enabled, but option "distribute-cpus-across-numa" provided',
    ],
    [
      'one that is neither on nor off',
      { 'full-pcpus-only': 'yes' },
      {},
      'bad value for option "full-pcpus-only": strconv.ParseBool: parsing "yes": invalid syntax',
    ],
    [
      'whole cores and single threads',
      { 'full-pcpus-only': 'true', 'distribute-cpus-across-cores': 'true' },
      ALPHA,
      'static policy options full-pcpus-only and distribute-cpus-across-cores can not be used at the same time',
    ],
    [
      'two ways to distribute',
      { 'distribute-cpus-across-numa': '1', 'distribute-cpus-across-cores': 't' },
      ALPHA,
      'static policy options distribute-cpus-across-numa and distribute-cpus-across-cores can not be used at the same time',
    ],
    [
      'few caches and many nodes',
      { 'prefer-align-cpus-by-uncorecache': 'true', 'distribute-cpus-across-numa': 'true' },
      {},
      'static policy options prefer-align-cpus-by-uncorecache and distribute-cpus-across-numa can not be used at the same time',
    ],
  ])('%s is refused', (_, options, gates, message) => {
    expect(() => parseCpuPolicyOptions(options as Record<string, string>, gates as Record<string, boolean>)).toThrow(
      message,
    );
  });

  it('that are disabled exclude nothing', () => {
    expect(
      parseCpuPolicyOptions({ 'full-pcpus-only': 'true', 'distribute-cpus-across-cores': 'false' }, ALPHA),
    ).toMatchObject({ fullCoresOnly: true, acrossCores: false });
  });

  it('that the machine or the other policies cannot have are refused', () => {
    expect(() => manager({ 'align-by-socket': 'true' }, { topologyPolicy: 'single-numa-node' })).toThrow(
      'incompatible with CPUManager align-by-socket policy option',
    );
    const oneNode = {
      cpus: FOUR_NODES.cpus.map((cpu) => ({ ...cpu, numa: 0 })),
      numaNodes: FOUR_NODES.numaNodes.slice(0, 1),
    };
    expect(() => manager({ 'align-by-socket': 'true' }, { topology: oneNode })).toThrow(
      'number of sockets are more than number of NUMA',
    );
    expect(
      () =>
        new CpuManager({
          policy: 'none',
          options: { 'full-pcpus-only': 'true' },
          rootDirectory: directory,
          topology: FOUR_NODES,
          reserved: { cpus: [] },
        }),
    ).toThrow('None policy: received unsupported options=1');
  });
});

describe('which CPUs are allocated', () => {
  it.each([
    ['packed: on the node that has least, and of the core that is broken', without(4), 3, {}, '5,20-21'],
    ['packed: a whole socket before two halves', without(0), 16, {}, '8-15,24-31'],
    ['across cores: a thread of each', ALL, 4, { acrossCores: true }, '0-3'],
    ['across cores: a second one when there is no other', [0, 16, 1], 3, { acrossCores: true }, '0-1,16'],
    ['across cores: whole nodes first', ALL, 8, { acrossCores: true }, '0-3,16-19'],
    ['by cache: a whole one', ALL, 4, { byUncoreCache: true }, '0-1,16-17'],
    ['by cache: one that has enough, however its neighbours', without(0, 16), 4, { byUncoreCache: true }, '2-3,18-19'],
    ['by cache: a part of the fullest that has enough', without(0, 16), 2, { byUncoreCache: true }, '1,17'],
    ['by cache: one and a part of another', without(0, 16), 6, { byUncoreCache: true }, '1-3,17-19'],
    [
      'by cache: whole cores of it where only those count',
      without(0),
      2,
      { byUncoreCache: true, fullCoresOnly: true },
      '1,17',
    ],
    ['without it: of several caches', without(0, 16), 4, {}, '1-2,17-18'],
  ])('%s', (_, available, count, options, expected) => {
    expect(formatCpuSet(takeCpus(FOUR_NODES.cpus, available, count, options))).toBe(expected);
  });

  it.each([
    ['from one node where that has enough', ALL, 6, 1, '0-2,16-18'],
    ['in halves of two', ALL, 12, 1, '0-2,4-6,16-18,20-22'],
    ['of nodes that have as much each', without(0, 1, 2), 14, 1, '4-11,20-22,24-26'],
    ['in thirds where two have too little', without(0, 16, 4, 20), 18, 1, '1-3,8-10,12-14,17-19,24-26,28-30'],
    ['with one more from one node, where they do not divide', ALL, 9, 1, '0-2,4-5,16-17,20-21'],
    ['in whole cores', ALL, 10, 2, '0-2,4-5,16-18,20-21'],
    ['packed where groups do not divide', ALL, 3, 2, '0-1,16'],
  ])('distributed: %s', (_, available, count, groupSize, expected) => {
    expect(formatCpuSet(distributeCpus(FOUR_NODES.cpus, available, count, { groupSize }))).toBe(expected);
  });
});

describe('the CPU manager', () => {
  it.each([
    ['as it is', {}, 10, '1,4-7,17,20-23'],
    ['across NUMA nodes', { 'distribute-cpus-across-numa': 'true' }, 10, ''],
    ['across cores', { 'distribute-cpus-across-cores': 'true' }, 3, '1-2,16'],
    ['by caches', { 'prefer-align-cpus-by-uncorecache': 'true' }, 4, '2-3,18-19'],
  ])('allocates %s', async (_, options, count, expected) => {
    const cpus = manager(options as Record<string, string>);
    const found = await given(cpus, count);
    expect(cpus.exclusiveOf('a', 'main')).toHaveLength(count);
    if (expected === '') {
      const perNode = FOUR_NODES.numaNodes
        .map(
          ({ id }) => (cpus.exclusiveOf('a', 'main') ?? []).filter((cpu) => FOUR_NODES.cpus[cpu]?.numa === id).length,
        )
        .filter((n) => n > 0);
      expect(perNode).toEqual([5, 5]);
    } else expect(found).toBe(expected);
  });

  it('aligns by socket', () => {
    const pod = guaranteed('a', 10);
    const preferred = (options: Record<string, string>): number[] =>
      (manager(options).hints(pod, pod.spec?.containers[0])['cpu'] ?? [])
        .filter((hint) => hint.preferred)
        .map(({ affinity }) => affinity ?? 0);
    expect(preferred({})).toEqual([0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100].toSorted((a, b) => a - b));
    expect(preferred({ 'align-by-socket': 'true' })).toEqual(expect.arrayContaining([0b0011, 0b1100]) as number[]);
    const small = guaranteed('b', 4);
    const ofSocket = (manager({ 'align-by-socket': 'true' }).hints(small, small.spec?.containers[0])['cpu'] ?? [])
      .filter((hint) => hint.preferred)
      .map(({ affinity }) => affinity);
    expect(ofSocket).toEqual([0b0001, 0b0010, 0b0011, 0b0100, 0b1000, 0b1100]);
  });

  it('refuses whole cores when too few are left, reserved threads or not', async () => {
    expect(await given(manager({ 'full-pcpus-only': 'true' }, { reserved: [0, 1] }), 30)).toBe(
      'SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 28, requested CPUs = 30, CPUs per core = 2',
    );
    expect(await given(manager({ 'full-pcpus-only': 'true' }, { reserved: [0, 1] }), 28)).toBe('2-15,18-31');
  });

  it('does not use reserved CPUs with strict reservation', () => {
    expect(manager({ 'strict-cpu-reservation': 'true' }, { reserved: [0, 16] }).cpusOf('other', 'main')).toBe(
      '1-15,17-31',
    );
  });
});
