/** How many pods a budget counts on, by the sizes of the workloads that its pods belong to. */

import type { Pod } from '../../api/generated/core-v1.ts';
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import { getScaledValue } from '../../base/index.ts';
import { controllerOf, isNotFound, type InformerFactory } from '../../client/index.ts';
import type { ScaleClient } from '../scale-client.ts';

export interface ExpectedPods {
  readonly expected: number;
  readonly desiredHealthy: number;
  /** Names of pods that nobody manages; their number may be anything. */
  readonly unmanaged: readonly string[];
}

export class ExpectedPodsCounter {
  readonly #informers;
  readonly #scales: ScaleClient;

  constructor(informers: InformerFactory, scales: ScaleClient) {
    this.#informers = {
      replicaSets: informers.informer('apps/v1/replicasets'),
      deployments: informers.informer('apps/v1/deployments'),
      statefulSets: informers.informer('apps/v1/statefulsets'),
      replicationControllers: informers.informer('v1/replicationcontrollers'),
    };
    this.#scales = scales;
  }

  async count({ spec }: PodDisruptionBudget, pods: readonly Pod[]): Promise<ExpectedPods> {
    const { minAvailable, maxUnavailable } = spec ?? {};
    if (maxUnavailable !== undefined) {
      const { expected, unmanaged } = await this.#fromScales(pods);
      return {
        expected,
        unmanaged,
        desiredHealthy: Math.max(0, expected - getScaledValue(maxUnavailable, expected, 'up')),
      };
    }
    if (typeof minAvailable === 'string') {
      const { expected, unmanaged } = await this.#fromScales(pods);
      return { expected, unmanaged, desiredHealthy: getScaledValue(minAvailable, expected, 'up') };
    }
    return { expected: pods.length, unmanaged: [], desiredHealthy: minAvailable ?? 0 };
  }

  async #fromScales(pods: readonly Pod[]): Promise<{ expected: number; unmanaged: string[] }> {
    const sizes = new Map<string, number>();
    const unmanaged: string[] = [];
    for (const pod of pods) {
      const controller = controllerOf(pod);
      if (!controller) unmanaged.push(pod.metadata.name ?? '');
      else if (!sizes.has(controller.uid)) {
        const size = await this.#sizeOf(pod);
        if (size === undefined) throw new Error(`found no controllers for pod "${pod.metadata.name}"`);
        sizes.set(controller.uid, 0);
        sizes.set(size.uid, size.replicas);
      }
    }
    return { expected: [...sizes.values()].reduce((sum, size) => sum + size, 0), unmanaged };
  }

  async #sizeOf(pod: Pod): Promise<{ uid: string; replicas: number } | undefined> {
    const controller = controllerOf(pod);
    if (!controller) return undefined;
    const { namespace = '' } = pod.metadata;
    const key = `${namespace}/${controller.name}`;
    const { replicaSets, deployments, statefulSets, replicationControllers } = this.#informers;
    const matching = <T extends { metadata: { uid?: string }; spec?: { replicas?: number } }>(
      object: T | undefined,
      uid: string,
    ): { uid: string; replicas: number } | undefined =>
      object?.metadata.uid === uid ? { uid, replicas: object.spec?.replicas ?? 1 } : undefined;
    switch (`${controller.apiVersion}/${controller.kind}`) {
      case 'apps/v1/ReplicaSet': {
        const set = replicaSets.get(key);
        const deployment = set && controllerOf(set);
        if (deployment?.kind === 'Deployment')
          return matching(deployments.get(`${namespace}/${deployment.name}`), deployment.uid);
        return matching(set, controller.uid);
      }
      case 'apps/v1/StatefulSet':
        return matching(statefulSets.get(key), controller.uid);
      case 'v1/ReplicationController':
        return matching(replicationControllers.get(key), controller.uid);
      default:
        return this.#fromScale({ ...controller, namespace });
    }
  }

  async #fromScale(target: {
    apiVersion: string;
    kind: string;
    name: string;
    uid: string;
    namespace: string;
  }): Promise<{ uid: string; replicas: number } | undefined> {
    try {
      const { scale } = await this.#scales.get(target);
      return scale.metadata.uid === target.uid ? { uid: target.uid, replicas: scale.spec?.replicas ?? 0 } : undefined;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new Error(`${target.kind} "${target.name}" does not implement the scale subresource`, { cause: error });
    }
  }
}
