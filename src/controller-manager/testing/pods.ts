/** A kubelet for tests: moves pods through their life by hand. */
import type { Pod, PodStatus } from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';

export class TestKubelet {
  constructor(
    private readonly client: Client,
    private readonly namespace = 'default',
  ) {}

  async list(labelSelector?: string): Promise<Pod[]> {
    return (await this.client.resource('v1/pods').list({ namespace: this.namespace, labelSelector })).items;
  }

  async setStatus(name: string, status: PodStatus): Promise<void> {
    await this.client
      .resource('v1/pods')
      .patch({ namespace: this.namespace, name }, { status }, { type: 'merge', subresource: 'status' });
  }

  async setReady(name: string, ready = true): Promise<void> {
    const lastTransitionTime = formatTime(this.client.clock.now());
    await this.setStatus(name, {
      phase: 'Running',
      podIP: '10.244.0.9',
      podIPs: [{ ip: '10.244.0.9' }],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime }],
    });
  }

  /** Starts every pod that is pending; gives how many there were. */
  async startAll(labelSelector?: string): Promise<number> {
    const pending = (await this.list(labelSelector)).filter(
      (pod) => pod.status?.phase === 'Pending' && pod.metadata.deletionTimestamp === undefined,
    );
    for (const pod of pending) await this.setReady(pod.metadata.name!);
    return pending.length;
  }

  /** Takes away the pods that are being deleted. */
  async finishDeletions(): Promise<void> {
    for (const { metadata } of await this.list()) {
      if (metadata.deletionTimestamp !== undefined)
        await this.client
          .resource('v1/pods')
          .delete({ namespace: this.namespace, name: metadata.name! }, { gracePeriodSeconds: 0 });
    }
  }
}
