/**
 * The topology manager: aligns the CPUs, memory and devices of a container to the same NUMA nodes, as its policy
 * requires.
 */
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

/** A manager whose resources are aligned: CPUs, memory or devices. */
export interface HintProvider {
  /** Hints for the resources of a container, or of the whole pod if undefined. */
  hints(pod: Pod, container: Container | undefined): ProviderHints;
  /** Allocates the container's resources, unless it has them. Throws when that is not possible. */
  allocate(pod: Pod, container: Container, hint: TopologyHint): Promise<void> | void;
}

interface TopologyManagerOptions {
  readonly policy: string;
  readonly scope: string;
  readonly numaNodes: readonly number[];
  readonly providers: readonly HintProvider[];
}

/** A rejection with a reason of its own. */
export class AdmissionError extends Error {
  override readonly name = 'AdmissionError';
  readonly code = 'admission';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Upstream's limit, because the number of combinations grows exponentially. */
const MAX_NUMA_NODES = 8;

export class TopologyManager {
  readonly #options: TopologyManagerOptions;

  constructor(options: TopologyManagerOptions) {
    if (options.policy !== 'none' && options.numaNodes.length > MAX_NUMA_NODES)
      throw new Error(`unsupported on machines with more than ${MAX_NUMA_NODES} NUMA Nodes`);
    this.#options = options;
  }

  /** Allocates the resources of all containers, or returns why the pod is rejected. */
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

  /** Undefined when the policy rejects the best hint. */
  #bestHint(pod: Pod, container: Container | undefined): TopologyHint | undefined {
    const { policy, providers, numaNodes } = this.#options;
    const lists = resourceLists(providers.map((provider) => provider.hints(pod, container)));
    const isSingle = policy === 'single-numa-node';
    // single-numa-node: a resource without a hint for one node leaves an empty list, so that no combination exists.
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
