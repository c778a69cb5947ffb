import fs from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NodeTopology } from './resources/node-topology.ts';
import { MACHINE, makePod, startKubeletFixture, type KubeletFixture } from './testing/index.ts';

/** Two sockets of four cores, a NUMA node each. */
const TOPOLOGY: NodeTopology = {
  cpus: Array.from({ length: 8 }, (_, id) => ({ id, core: id, socket: id < 4 ? 0 : 1, numa: id < 4 ? 0 : 1 })),
  numaNodes: [0, 1].map((id) => ({ id, memoryBytes: 4 * 2 ** 30, hugePages: {} })),
};
const CONFIG = {
  cpuManagerPolicy: 'static',
  reservedSystemCPUs: '0',
  memoryManagerPolicy: 'Static',
  reservedMemory: [],
  topologyManagerPolicy: 'single-numa-node',
};

let f: KubeletFixture;
beforeEach(async () => {
  f = await startKubeletFixture();
});
afterEach(() => f.stop());

const start = (config: object = {}): Promise<void> =>
  f.start({ ...CONFIG, ...config }, { machine: { ...MACHINE, cpus: 8 }, topology: TOPOLOGY });
const pod = (name: string, cpu: string, memory = '1Gi') =>
  makePod(name, {
    terminationGracePeriodSeconds: 1,
    containers: [
      { name: 'main', image: 'busybox', imagePullPolicy: 'IfNotPresent', resources: { limits: { cpu, memory } } },
    ],
  });
const given = (name: string) => {
  const { cpusetCpus, cpusetMems } = f.runtime.container(name, 'main').config.linux?.resources ?? {};
  return { cpusetCpus, cpusetMems };
};

it('CPUs and memory are from the same NUMA node, or the pod is refused', async () => {
  await start();
  await f.create(pod('a', '3'));
  await f.untilPhase('a', 'Running');
  await f.create(pod('b', '3', '3Gi'));
  await f.untilPhase('b', 'Running');
  expect([given('a'), given('b')]).toEqual([
    { cpusetCpus: '1-3', cpusetMems: '0' },
    { cpusetCpus: '4-6', cpusetMems: '1' },
  ]);
  await f.create(pod('c', '1', '2Gi'));
  const refused = await f.untilPhase('c', 'Failed');
  expect(refused.status).toMatchObject({
    reason: 'TopologyAffinityError',
    message: 'Pod was rejected: Resources cannot be allocated with Topology locality',
  });
  expect(await f.events('c')).toEqual(['TopologyAffinityError: Resources cannot be allocated with Topology locality']);
  expect(f.runtime.calls.filter((call) => call.startsWith('RunPodSandbox'))).toHaveLength(2);
  await f.client.resource('v1/pods').delete({ namespace: 'default', name: 'a' });
  await f.until(
    'a is gone',
    async () =>
      (await f.client.resource('v1/pods').list({ namespace: 'default', fieldSelector: 'metadata.name=a' })).items
        .length === 0,
  );
  await f.create(pod('d', '1', '2Gi'));
  await f.untilPhase('d', 'Running');
  expect(given('d')).toEqual({ cpusetCpus: '1', cpusetMems: '0' });
});

it('containers in the shared pool get all CPUs that are not exclusive, as they change', async () => {
  await start();
  await f.create(makePod('shared'));
  await f.untilPhase('shared', 'Running');
  expect(given('shared').cpusetCpus).toBe('0-7');
  await f.create(pod('a', '2'));
  await f.untilPhase('a', 'Running');
  const now = () => f.runtime.container('shared', 'main').status.resources?.linux?.cpusetCpus;
  await f.until('the others have what is left', () => now() === '0,3-7');
  await f.client.resource('v1/pods').delete({ namespace: 'default', name: 'a' });
  await f.until('the others have all again', () => now() === '0-7');
});

it('survives a restart of the kubelet, but no change of the policy', async () => {
  await start();
  await f.create(pod('a', '2'));
  await f.untilPhase('a', 'Running');
  await f.stopKubelet();
  await start();
  await f.create(pod('b', '2'));
  await f.untilPhase('b', 'Running');
  expect(given('b').cpusetCpus).toBe('4-5');
  await f.stopKubelet();
  await expect(start({ cpuManagerPolicy: 'none' })).rejects.toThrow(/differs from state checkpoint policy "static"/);
  const state = JSON.parse(await fs.readFile(path.join(f.rootDirectory, 'cpu_manager_state'), 'utf8')) as {
    entries: object;
  };
  expect(Object.values(state.entries)).toEqual([{ main: '1-2' }, { main: '4-5' }]);
});
