/**
 * The device manager's checkpoint: containers keep their devices when one kubelet follows the other, a container that is started
 * again gets the same ones without another Allocate, and no device is given out twice.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../src/kernel/testing/index.ts';
import { requires } from '../requires.ts';
import type { Side } from './control-plane.ts';
import { DevicePlugin, DEVICES, RESOURCE } from './device-plugin.ts';
import { KUBELETS, KubeletNode } from './kubelet-node.ts';

const missing = requires(...KUBELETS, 'conmon');
const title = `exchanging kubelets with devices${missing ? ` (skipped: ${missing})` : ''}`;
const ONE_DEVICE = { limits: { [RESOURCE]: '1' } };

let node: KubeletNode | undefined;
let plugin: DevicePlugin | undefined;
afterEach(async () => {
  await node?.close();
  plugin?.close();
  node = plugin = undefined;
});

interface Checkpoint {
  readonly Data: { readonly PodDeviceEntries: readonly { readonly PodUID: string }[] };
}

describe.skipIf(missing)(title, { timeout: 400_000 }, () => {
  it.each<[Side, Side]>([
    ['upstream', 'k8ts'],
    ['k8ts', 'upstream'],
  ])('first %s, then %s, and back', async (first, second) => {
    node = await KubeletNode.create({ apiServer: 'k8ts', runtime: 'k8ts' });
    const here = node;
    plugin = new DevicePlugin(node.kubeletFile('device-plugins'));
    const { allocated } = plugin;
    const allocatable = async (): Promise<boolean> => {
      const { items } = await here.plane.client.resource('v1/nodes').list();
      return items.some(({ status }) => status?.allocatable?.[RESOURCE] === String(DEVICES.length));
    };
    const untilAllocatable = (): Promise<void> =>
      until('the node has the devices', allocatable, {
        limitMs: 60_000,
        details: () => here.kubeletLog().slice(-3000),
      });
    const entries = (): unknown => {
      const file = here.stateFile('device-plugins/kubelet_internal_checkpoint');
      const { PodDeviceEntries } = (JSON.parse(file) as Checkpoint).Data;
      return PodDeviceEntries.toSorted((a, b) => (a.PodUID < b.PodUID ? -1 : 1));
    };
    const deviceOf = async (pod: string): Promise<string> => (await here.exec('echo $THING', pod)).stdout.trim();

    await node.startKubelet(first);
    await node.untilRegistered();
    await plugin.register();
    await untilAllocatable();
    const before = await node.runPod(ONE_DEVICE);
    const device = await deviceOf('web');
    expect(allocated).toEqual([device]);
    const written = entries();

    await node.exchangeKubelet(second);
    expect((await node.status())?.containerID, node.kubeletLog().slice(-3000)).toBe(before.containerID);
    await plugin.register();
    await untilAllocatable();
    expect(entries()).toEqual(written);
    // PID 1 ends; the kubelet starts the container again.
    await node.exec('kill 1');
    const isBack = async (): Promise<boolean> => {
      const status = await here.status();
      return status?.restartCount === 1 && status.state?.running !== undefined;
    };
    await until('the container is started again', isBack, { limitMs: 60_000, details: () => here.kubeletLog() });
    expect([await deviceOf('web'), allocated]).toEqual([device, [device]]);
    await node.runPod(ONE_DEVICE, 'other');
    expect(await deviceOf('other')).toBe(DEVICES.find((id) => id !== device));
    expect(allocated).toHaveLength(2);
    const both = entries();

    await node.exchangeKubelet(first);
    await plugin.register();
    await untilAllocatable();
    expect(entries()).toEqual(both);
    expect([(await node.status())?.restartCount, (await node.status('other'))?.restartCount]).toEqual([1, 0]);
  });
});
