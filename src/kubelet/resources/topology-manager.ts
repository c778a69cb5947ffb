/** Brings the CPUs, memory and devices of a container onto the same NUMA nodes, as far as the policy wants it. */
import type { Container, Pod } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import type { PodRejection } from '../admission/admit-pod.ts';
import {
  ANY_NUMA_NODE,
  mergeHints,
  resourceLists,
  countOf,
  maskOf,
  type ProviderHints,
  type TopologyHint,
} from './topology-hint.ts';

/** Something that gives containers a part of the machine. */
export interface HintProvider {
  /** Where the container's, or for `undefined` the whole pod's, share could come from. */
  hints(pod: Pod, container: Container | undefined): ProviderHints;
  /** Takes it; what a container has already it keeps. Throws when it cannot be had. */
  allocate(pod: Pod, container: Container, hint: TopologyHint): Promise<void> | void;
}

export type TopologyPolicy = 'none' | 'best-effort' | 'restricted' | 'single-numa-node';

export interface TopologyManagerOptions {
  readonly policy: string;
  readonly scope: string;
  readonly numaNodes: readonly number[];
  readonly providers: readonly HintProvider[];
}

/** Why an admission handler refuses a pod by a name of its own. */
export class AdmissionError extends Error {
  override readonly name = 'AdmissionError';
  readonly code = 'admission';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Upstream's limit: with more the sets are too many to compare. */
const MAX_NUMA_NODES = 8;

export class TopologyManager {
  readonly #options: TopologyManagerOptions;

  constructor(options: TopologyManagerOptions) {
    if (options.policy !== 'none' && options.numaNodes.length > MAX_NUMA_NODES)
      throw new Error(`unsupported on machines with more than ${MAX_NUMA_NODES} NUMA Nodes`);
    this.#options = options;
  }

  /** Takes everything that the pod's containers need; gives the reason when that is not possible. */
  async admit(pod: Pod): Promise<PodRejection | undefined> {
    const { policy, scope } = this.#options;
    const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
    let ofPod: TopologyHint | undefined;
    if (policy !== 'none' && scope === 'pod') {
      ofPod = this.#bestHint(pod, undefined);
      if (ofPod === undefined) return NOT_ALIGNED;
    }
    for (const container of containers) {
      const hint = policy === 'none' ? ANY_NUMA_NODE : (ofPod ?? this.#bestHint(pod, container));
      if (hint === undefined) return NOT_ALIGNED;
      try {
        for (const provider of this.#options.providers) await provider.allocate(pod, container, hint);
      } catch (error) {
        if (error instanceof AdmissionError) return { reason: error.reason, message: error.message };
        return {
          reason: 'UnexpectedAdmissionError',
          message: `Allocate failed due to ${errorMessage(error)}, which is unexpected`,
        };
      }
    }
    return undefined;
  }

  /** Undefined when the policy does not take what there is. */
  #bestHint(pod: Pod, container: Container | undefined): TopologyHint | undefined {
    const { policy, providers, numaNodes } = this.#options;
    const lists = resourceLists(providers.map((provider) => provider.hints(pod, container)));
    const isSingle = policy === 'single-numa-node';
    // A resource that cannot come from one node leaves an empty list, and with it nothing to agree on.
    const usable = isSingle
      ? lists.map((list) =>
          list.filter(({ affinity, preferred }) => preferred && (affinity === undefined || countOf(affinity) === 1)),
        )
      : lists;
    const best = mergeHints(usable, numaNodes);
    if (policy !== 'best-effort' && !best.preferred) return undefined;
    return isSingle && best.affinity === maskOf(numaNodes) ? { ...best, affinity: undefined } : best;
  }
}

const NOT_ALIGNED: PodRejection = {
  reason: 'TopologyAffinityError',
  message: 'Resources cannot be allocated with Topology locality',
};
