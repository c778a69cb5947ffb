/**
 * The state files of the kubelet's resource managers: a container keeps its exclusive CPU and its NUMA node's memory when one
 * kubelet follows the other, and both write the same files.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { requires } from '../requires.ts';
import type { Side } from './control-plane.ts';
import { exchangeKubelets, KUBELETS, KubeletNode } from './kubelet-node.ts';

const missing = requires(...KUBELETS, 'conmon');
const title = `exchanging kubelets with static managers${missing ? ` (skipped: ${missing})` : ''}`;

const CONFIGURATION = {
  cpuManagerPolicy: 'static',
  reservedSystemCPUs: '0',
  memoryManagerPolicy: 'Static',
  systemReserved: { memory: '100Mi' },
  reservedMemory: [{ numaNode: 0, limits: { memory: '100Mi' } }],
};
const GUARANTEED = { limits: { cpu: '1', memory: '64Mi' } };
const FILES = ['cpu_manager_state', 'memory_manager_state'] as const;

let node: KubeletNode | undefined;
afterEach(async () => {
  await node?.close();
  node = undefined;
});

describe.skipIf(missing)(title, { timeout: 400_000 }, () => {
  it.each<[Side, Side]>([
    ['upstream', 'k8ts'],
    ['k8ts', 'upstream'],
  ])('first %s, then %s, and back', async (first, second) => {
    node = await KubeletNode.create({ apiServer: 'k8ts', runtime: 'k8ts', configuration: CONFIGURATION });
    const here = node;
    const written: unknown[] = [];
    await exchangeKubelets(node, {
      first,
      second,
      resources: GUARANTEED,
      afterEach: () => written.push(FILES.map((file) => JSON.parse(here.stateFile(file)) as unknown)),
    });
    const [state, ...later] = written as [[{ entries: object }, { entries: object }], ...unknown[]];
    for (const { entries } of state) expect(Object.values(entries)).toHaveLength(1);
    expect(later).toEqual([state, state]);
  });
});
