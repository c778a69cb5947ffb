import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../api/generated/core-v1.ts';
import { DEFAULT_KUBELET_CONFIGURATION } from '../configuration/kubelet-configuration.ts';
import { CpuManager } from './cpu-manager.ts';
import { formatCpuSet, parseCpuSet } from './cpu-set.ts';
import { MemoryManager } from './memory-manager.ts';
import { reservedMemory } from './memory-state.ts';
import { readTopology, type NodeTopology } from './node-topology.ts';
import { takeCpus } from './take-cpus.ts';
import { bitsOf, mergeHints, resourceLists, type TopologyHint } from './topology-hint.ts';
import { TopologyManager } from './topology-manager.ts';

const GI = 2 ** 30;

/** Two sockets, a NUMA node each, four cores of two threads each: CPUs n and n+8 share a core. */
const TWO_SOCKETS: NodeTopology = {
  cpus: Array.from({ length: 16 }, (_, id) => ({
    id,
    core: id % 8,
    socket: id % 8 < 4 ? 0 : 1,
    numa: id % 8 < 4 ? 0 : 1,
  })),
  numaNodes: [0, 1].map((id) => ({ id, memoryBytes: 8 * GI, hugePages: {} })),
};

let directory: string;
beforeEach(async () => {
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-resources-'));
});
afterEach(() => fs.rm(directory, { recursive: true, force: true }));

const guaranteed = (uid: string, cpu: string, memory = '1Gi', extra: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { uid, name: uid, namespace: 'ns' },
  spec: { containers: [{ name: 'main', resources: { limits: { cpu, memory }, requests: { cpu, memory } } }], ...extra },
});
const main = (pod: Pod): Container => pod.spec!.containers[0]!;

describe('the topology of the machine', () => {
  it('is read from the kernel', async () => {
    const write = async (file: string, text: string): Promise<void> => {
      await fs.mkdir(path.dirname(path.join(directory, file)), { recursive: true });
      await fs.writeFile(path.join(directory, file), `${text}\n`);
    };
    await write('cpu/online', '0-3');
    for (const [cpu, siblings, socket] of [
      [0, '0,2', 0],
      [1, '1,3', 1],
      [2, '0,2', 0],
      [3, '1,3', 1],
    ] as const) {
      await write(`cpu/cpu${cpu}/topology/thread_siblings_list`, siblings);
      await write(`cpu/cpu${cpu}/topology/physical_package_id`, String(socket));
    }
    for (const cpu of [0, 2]) await write(`cpu/cpu${cpu}/cache/index3/shared_cpu_list`, '0,2');
    for (const node of [0, 1]) {
      await write(`node/node${node}/cpulist`, `${node},${node + 2}`);
      await write(`node/node${node}/meminfo`, `Node ${node} MemTotal:        1024 kB`);
      await write(`node/node${node}/hugepages/hugepages-2048kB/nr_hugepages`, String(node));
    }
    expect(await readTopology(directory)).toEqual({
      cpus: [
        { id: 0, core: 0, socket: 0, numa: 0, uncoreCache: 0 },
        { id: 1, core: 1, socket: 1, numa: 1 },
        { id: 2, core: 0, socket: 0, numa: 0, uncoreCache: 0 },
        { id: 3, core: 1, socket: 1, numa: 1 },
      ],
      numaNodes: [
        { id: 0, memoryBytes: 2 ** 20, hugePages: { '2Mi': 0 } },
        { id: 1, memoryBytes: 2 ** 20, hugePages: { '2Mi': 2 * 2 ** 20 } },
      ],
    });
  });

  it.each([
    ['', []],
    ['3', [3]],
    ['0-2,5,7-8', [0, 1, 2, 5, 7, 8]],
  ])('lists like %j are read and written', (text, cpus) => {
    expect(parseCpuSet(text)).toEqual(cpus);
    expect(formatCpuSet(cpus)).toBe(text);
  });
});

describe('which CPUs are allocated', () => {
  const all = TWO_SOCKETS.cpus.map(({ id }) => id);
  it.each([
    ['a whole socket', all, 8, '0-3,8-11'],
    ['a whole core', all, 2, '0,8'],
    ['cores, then one thread', all, 3, '0-1,8'],
    ['the half core first', all.filter((cpu) => cpu !== 0), 1, '8'],
    ['the socket that is whole', all.filter((cpu) => cpu !== 0), 8, '4-7,12-15'],
    ['both sockets', all, 10, '0-4,8-12'],
  ])('%s', (_, available, count, expected) => {
    expect(formatCpuSet(takeCpus(TWO_SOCKETS.cpus, available, count))).toBe(expected);
  });

  it('reports that there are too few', () => {
    expect(() => takeCpus(TWO_SOCKETS.cpus, [1, 2], 3)).toThrow(
      'not enough cpus available to satisfy request: requested=3, available=2',
    );
  });
});

describe('hints', () => {
  const hint = (affinity: number | undefined, preferred = true): TopologyHint => ({ affinity, preferred });
  it.each([
    ['of nobody', [], hint(0b11)],
    ['of one', [[hint(0b01), hint(0b10), hint(0b11, false)]], hint(0b01)],
    ['that agree', [[hint(0b01), hint(0b10)], [hint(0b10)]], hint(0b10)],
    ['of one that does not care', [[hint(undefined)], [hint(0b10)]], hint(0b10)],
    ['that cannot agree', [[hint(0b01)], [hint(0b10)]], hint(0b11, false)],
    [
      'that meet where neither likes it',
      [
        [hint(0b01), hint(0b11, false)],
        [hint(0b10), hint(0b11, false)],
      ],
      hint(0b01, false),
    ],
    ['of one that cannot be had', resourceLists([{ x: [] }]), hint(0b11, false)],
  ])('%s', (_, lists, expected) => {
    expect(mergeHints(lists, [0, 1])).toEqual(expected);
  });
});

const cpuManager = (
  policy = 'static',
  options: Record<string, string> = {},
  reserved: { cpus: number[] } | { milli: number } = { cpus: [0] },
): CpuManager => new CpuManager({ policy, options, rootDirectory: directory, topology: TWO_SOCKETS, reserved });
const state = async (file: string): Promise<unknown> =>
  JSON.parse(await fs.readFile(path.join(directory, file), 'utf8')) as unknown;

describe('the CPU manager', () => {
  it('allocates whole CPUs to guaranteed pods, the rest to others, with a checkpoint', async () => {
    const manager = cpuManager();
    await manager.load();
    expect(await state('cpu_manager_state')).toMatchObject({ policyName: 'static', defaultCpuSet: '0-15' });
    const pod = guaranteed('a', '2');
    await manager.allocate(pod, main(pod), { affinity: undefined, preferred: true });
    expect(manager.cpusOf('a', 'main')).toBe('1,9');
    expect(manager.cpusOf('other', 'main')).toBe('0,2-8,10-15');
    expect(await state('cpu_manager_state')).toMatchObject({
      policyName: 'static',
      defaultCpuSet: '0,2-8,10-15',
      entries: { a: { main: '1,9' } },
    });
    const again = cpuManager();
    await again.load();
    expect(again.cpusOf('a', 'main')).toBe('1,9');
    await again.release('a');
    expect(again.cpusOf('other', 'main')).toBe('0-15');
  });

  it.each([
    ['a fraction', guaranteed('a', '1500m')],
    [
      'a pod that is not guaranteed',
      {
        metadata: { uid: 'a' },
        spec: { containers: [{ name: 'main', resources: { requests: { cpu: '2' } } }] },
      } as Pod,
    ],
  ])('allocates no exclusive CPUs to %s', async (_, pod) => {
    const manager = cpuManager();
    await manager.allocate(pod, main(pod), { affinity: undefined, preferred: true });
    expect(manager.exclusiveOf('a', 'main')).toBeUndefined();
    expect(manager.hints(pod, main(pod))).toEqual({});
  });

  it('prefers the fewest NUMA nodes that could ever do', async () => {
    const manager = cpuManager();
    const small = guaranteed('a', '6');
    expect(manager.hints(small, main(small))).toEqual({
      cpu: [
        { affinity: 1, preferred: true },
        { affinity: 2, preferred: true },
        { affinity: 3, preferred: false },
      ],
    });
    const large = guaranteed('b', '8');
    expect(manager.hints(large, main(large))).toEqual({
      cpu: [
        { affinity: 2, preferred: true },
        { affinity: 3, preferred: false },
      ],
    });
  });

  it('reuses CPUs of init containers', async () => {
    const manager = cpuManager();
    const pod = guaranteed('a', '15', '1Gi', {
      initContainers: [
        { name: 'init', resources: { limits: { cpu: '14', memory: '1Gi' }, requests: { cpu: '14', memory: '1Gi' } } },
      ],
    });
    for (const container of [...(pod.spec?.initContainers ?? []), main(pod)])
      await manager.allocate(pod, container, { affinity: undefined, preferred: true });
    expect(manager.exclusiveOf('a', 'main')).toHaveLength(15);
  });

  it('refuses threads of shared cores where it must', async () => {
    const manager = new TopologyManager({
      policy: 'none',
      scope: 'container',
      numaNodes: [0, 1],
      providers: [cpuManager('static', { 'full-pcpus-only': 'true' })],
    });
    expect(await manager.admit(guaranteed('a', '3'))).toEqual({
      reason: 'SMTAlignmentError',
      message: 'SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2',
    });
    expect(await manager.admit(guaranteed('b', '4'))).toBeUndefined();
  });

  it('refuses the checkpoint of another policy, and a missing reservation', async () => {
    await cpuManager('static').load();
    await expect(cpuManager('none').load()).rejects.toThrow(
      /configured policy "none" differs from state checkpoint policy "static"/,
    );
    expect(() => cpuManager('static', {}, { milli: 0 })).toThrow(
      'the static policy requires systemReserved.cpu + kubeReserved.cpu to be greater than zero',
    );
  });
});

const memoryManager = (): MemoryManager =>
  new MemoryManager({
    policy: 'Static',
    rootDirectory: directory,
    topology: TWO_SOCKETS,
    reserved: new Map([[0, { memory: GI }]]),
  });

describe('the memory manager', () => {
  it('allocates memory of one NUMA node where that has enough, with a checkpoint', async () => {
    const manager = memoryManager();
    await manager.load();
    for (const [uid, size] of [
      ['a', '6Gi'],
      ['b', '6Gi'],
    ] as const) {
      const pod = guaranteed(uid, '1', size);
      await manager.allocate(pod, main(pod), { affinity: undefined, preferred: true });
    }
    expect([manager.nodesOf('a', 'main'), manager.nodesOf('b', 'main')]).toEqual(['0', '1']);
    expect(await state('memory_manager_state')).toMatchObject({
      policyName: 'Static',
      machineState: {
        0: {
          numberOfAssignments: 1,
          cells: [0],
          memoryMap: { memory: { total: 8 * GI, systemReserved: GI, allocatable: 7 * GI, reserved: 6 * GI, free: GI } },
        },
      },
      entries: { a: { main: [{ numaAffinity: [0], type: 'memory', size: 6 * GI }] } },
    });
    const third = guaranteed('c', '1', '3Gi');
    expect(() => manager.hints(third, main(third))).not.toThrow();
    await expect(manager.allocate(third, main(third), { affinity: undefined, preferred: true })).rejects.toThrow(
      '[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available',
    );
    const again = memoryManager();
    await again.load();
    expect(again.nodesOf('b', 'main')).toBe('1');
  });

  it('allocates memory of several NUMA nodes, which then form a group', async () => {
    const manager = memoryManager();
    const large = guaranteed('a', '1', '10Gi');
    expect(manager.hints(large, main(large))).toEqual({ memory: [{ affinity: 3, preferred: true }] });
    await manager.allocate(large, main(large), { affinity: 3, preferred: true });
    expect(manager.nodesOf('a', 'main')).toBe('0-1');
    const small = guaranteed('b', '1', '1Gi');
    expect(manager.hints(small, main(small))).toEqual({ memory: [{ affinity: 3, preferred: false }] });
  });

  it('requires the reservation of the node', () => {
    const config = {
      ...DEFAULT_KUBELET_CONFIGURATION,
      memoryManagerPolicy: 'Static',
      systemReserved: { memory: '1Gi' },
      reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
    };
    expect(() => reservedMemory(config, 16 * GI)).toThrow(
      'the total amount "1Gi" of type "memory" is not equal to the value "1124Mi" determined by Node Allocatable feature',
    );
    expect(
      reservedMemory(
        {
          ...config,
          reservedMemory: [
            { numaNode: 0, limits: { memory: '1024Mi' } },
            { numaNode: 1, limits: { memory: '100Mi' } },
          ],
        },
        16 * GI,
      ).get(1),
    ).toEqual({ memory: 100 * 2 ** 20 });
  });
});

describe('the topology manager', () => {
  /** A device of which one is left, near one NUMA node. */
  const device = (node: number) => ({
    hints: (): Record<string, TopologyHint[]> => ({ 'example.com/x': [{ affinity: 1 << node, preferred: true }] }),
    allocate: () => {},
  });
  const rejection = {
    reason: 'TopologyAffinityError',
    message: 'Resources cannot be allocated with Topology locality',
  };

  it.each([
    ['none', undefined, '0'],
    ['best-effort', undefined, '1'],
    ['restricted', undefined, '1'],
    ['single-numa-node', undefined, '1'],
  ])('%s prefers aligned resources', async (policy, expected, numa) => {
    const cpus = cpuManager();
    const manager = new TopologyManager({
      policy,
      scope: 'container',
      numaNodes: [0, 1],
      providers: [cpus, device(1)],
    });
    expect(await manager.admit(guaranteed('a', '2'))).toBe(expected);
    expect(TWO_SOCKETS.cpus.find(({ id }) => id === cpus.exclusiveOf('a', 'main')?.[0])?.numa).toBe(Number(numa));
  });

  it.each([
    ['none', undefined],
    ['best-effort', undefined],
    ['restricted', rejection],
    ['single-numa-node', rejection],
  ])('%s and a pod whose CPUs and device are on different nodes', async (policy, expected) => {
    const cpus = cpuManager();
    const filler = guaranteed('filler', '8');
    await cpus.allocate(filler, main(filler), { affinity: 0b10, preferred: true });
    const manager = new TopologyManager({
      policy,
      scope: 'container',
      numaNodes: [0, 1],
      providers: [cpus, device(1)],
    });
    expect(await manager.admit(guaranteed('a', '2'))).toEqual(expected);
  });

  it('single-numa-node refuses a pod that restricted accepts: one larger than a NUMA node', async () => {
    const admit = (policy: string) =>
      new TopologyManager({ policy, scope: 'container', numaNodes: [0, 1], providers: [cpuManager()] }).admit(
        guaranteed('a', '10'),
      );
    expect(await admit('restricted')).toBeUndefined();
    expect(await admit('single-numa-node')).toEqual(rejection);
  });

  it('of the scope pod puts all containers together', async () => {
    const container = (name: string): Container => ({
      name,
      resources: { limits: { cpu: '4', memory: '1Gi' }, requests: { cpu: '4', memory: '1Gi' } },
    });
    const pod: Pod = { metadata: { uid: 'a' }, spec: { containers: [container('one'), container('two')] } };
    const placed = async (scope: string): Promise<number[][]> => {
      const cpus = cpuManager('static', {}, { cpus: [0, 1, 8] });
      expect(
        await new TopologyManager({ policy: 'single-numa-node', scope, numaNodes: [0, 1], providers: [cpus] }).admit(
          pod,
        ),
      ).toBeUndefined();
      return ['one', 'two'].map((name) => [
        ...new Set((cpus.exclusiveOf('a', name) ?? []).map((id) => TWO_SOCKETS.cpus[id]?.numa ?? -1)),
      ]);
    };
    expect(await placed('container')).toEqual([[0], [1]]);
    expect(await placed('pod')).toEqual([[1], [1]]);
  });

  it('reports unexpected errors', async () => {
    const manager = new TopologyManager({
      policy: 'none',
      scope: 'container',
      numaNodes: [0, 1],
      providers: [cpuManager()],
    });
    expect(await manager.admit(guaranteed('a', '16'))).toEqual({
      reason: 'UnexpectedAdmissionError',
      message:
        'Allocate failed due to not enough cpus available to satisfy request: requested=16, available=15, which is unexpected',
    });
    expect(bitsOf(0b101)).toEqual([0, 2]);
  });
});
