/**
 * The allocation manager: the resources that the kubelet has allocated to each pod, and in-place pod resize. A resize
 * is allocated when it fits, Deferred when other pods use the resources, and Infeasible when the node can never provide
 * them. Allocations are stored in `allocated_pods_state` and survive a restart of the kubelet, and its exchange for
 * upstream's, which has the same file and ends at one that it cannot read.
 */
import path from 'node:path';
import type { Container, Pod, ResourceRequirements } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { computePodQos } from '../../component-helpers/index.ts';
import { resourcesInPod } from '../pod/container-resources.ts';
import type { ResizeCondition } from '../pod/pod-conditions.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { isStaticPod, allocatedRequests } from '../pod/pod-resources.ts';
import type { AllocatedResources } from './allocation-checkpoint.ts';
import { ResourcesFile } from './resources-file.ts';

const ALLOCATED_FILE = 'allocated_pods_state';
const ACTUATED_FILE = 'actuated_pods_state';

export class AllocationManager {
  readonly #allocated: ResourcesFile;
  /** What containers were created with or updated to: upstream's kubelet resizes those that it finds no record of. */
  readonly #actuated: ResourcesFile;
  readonly #pending = new Map<string, ResizeCondition>();

  constructor(rootDirectory: string) {
    this.#allocated = new ResourcesFile(path.join(rootDirectory, ALLOCATED_FILE));
    this.#actuated = new ResourcesFile(path.join(rootDirectory, ACTUATED_FILE));
  }

  async load(): Promise<void> {
    await Promise.all([this.#allocated.load(), this.#actuated.load()]);
  }

  /** Records the resources that the container now has in the runtime. */
  setActuated(pod: Pod, container: Pick<Container, 'name' | 'resources'>): void {
    const actuated = this.actuated(pod);
    this.#actuated.set(uidOf(pod), {
      ...actuated,
      containers: { ...actuated?.containers, [container.name]: resourcesInPod(pod, container) },
    });
  }

  /** Records the resources that the pod's cgroup now has. */
  setPodActuated(pod: Pod): void {
    const resources = pod.spec?.resources;
    const actuated = this.actuated(pod);
    if (sameResources(actuated?.pod, resources)) return;
    this.#actuated.set(uidOf(pod), { containers: actuated?.containers ?? {}, pod: resources });
  }

  actuated(pod: Pod): AllocatedResources | undefined {
    return this.#actuated.get(uidOf(pod));
  }

  /** Allocates the resources of the pod's spec. */
  allocate(pod: Pod): void {
    this.#allocated.set(uidOf(pod), resourcesOf(pod));
    this.#pending.delete(uidOf(pod));
  }

  hasAllocation(pod: Pod): boolean {
    return this.#allocated.get(uidOf(pod)) !== undefined;
  }

  removePod(uid: string): void {
    this.#pending.delete(uid);
    this.#allocated.delete(uid);
    this.#actuated.delete(uid);
  }

  /** The pod with its allocated resources in place of those in its spec. */
  withAllocatedResources(pod: Pod): Pod {
    const allocated = this.#allocated.get(uidOf(pod));
    if (allocated === undefined || pod.spec === undefined) return pod;
    const replace = (container: Container): Container => {
      const resources = allocated.containers[container.name];
      return resources === undefined || sameResources(resources, container.resources)
        ? container
        : { ...container, resources };
    };
    const containers = pod.spec.containers.map(replace);
    const initContainers = pod.spec.initContainers?.map(replace);
    const resources = sameResources(allocated.pod, pod.spec.resources) ? pod.spec.resources : allocated.pod;
    const unchanged =
      resources === pod.spec.resources &&
      containers.every((one, i) => one === pod.spec?.containers[i]) &&
      (initContainers?.every((one, i) => one === pod.spec?.initContainers?.[i]) ?? true);
    if (unchanged) return pod;
    const spec = { ...pod.spec, containers, ...(initContainers === undefined ? {} : { initContainers }) };
    return { ...pod, spec: resources === undefined ? spec : { ...spec, resources } };
  }

  pendingCondition(uid: string): ResizeCondition | undefined {
    return this.#pending.get(uid);
  }

  /** Allocates the resources of a resized spec if they fit; otherwise sets the PodResizePending condition. */
  tryResize(
    pod: Pod,
    others: readonly Pod[],
    allocatable: Readonly<Record<string, string>>,
  ): 'none' | 'allocated' | ResizeCondition {
    const uid = uidOf(pod);
    const allocated = this.#allocated.get(uid);
    if (allocated === undefined) return 'none';
    const wanted = resourcesOf(pod);
    const isAllocated =
      sameResources(allocated.pod, wanted.pod) &&
      Object.entries(wanted.containers).every(([name, one]) => sameResources(allocated.containers[name], one));
    if (isAllocated) {
      this.#pending.delete(uid);
      return 'none';
    }
    const setPending = (reason: 'Infeasible' | 'Deferred', message: string): ResizeCondition => {
      const observedGeneration = pod.metadata.generation;
      const condition = { type: 'PodResizePending', status: 'True', reason, message, observedGeneration };
      this.#pending.set(uid, condition);
      return condition;
    };
    if (isStaticPod(pod)) return setPending('Infeasible', 'In-place resize of static-pods is not supported');
    const { spec } = this.withAllocatedResources(pod);
    if (pod.spec && spec && computePodQos(pod.spec) !== computePodQos(spec))
      return setPending('Infeasible', 'Pod resize would change its QoS class');
    const requests = allocatedRequests(pod);
    for (const name of ['cpu', 'memory']) {
      const measure = (quantity: ReturnType<typeof parseQuantity> | undefined): number =>
        quantity === undefined ? 0 : name === 'cpu' ? quantity.milliValue() : quantity.value();
      const capacity = measure(parseQuantity(allocatable[name] ?? '0'));
      const requested = measure(requests.get(name));
      if (requested > capacity)
        return setPending(
          'Infeasible',
          `Node didn't have enough capacity: ${name}, requested: ${requested}, capacity: ${capacity}`,
        );
      const used = others.reduce((sum, other) => sum + measure(allocatedRequests(other).get(name)), 0);
      if (requested > capacity - used)
        return setPending(
          'Deferred',
          `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
        );
    }
    this.allocate(pod);
    return 'allocated';
  }

  async settled(): Promise<void> {
    await Promise.all([this.#allocated.settled(), this.#actuated.settled()]);
  }
}

function resourcesOf({ spec }: Pod): AllocatedResources {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const containers = Object.fromEntries(all.map(({ name, resources }) => [name, resources ?? {}]));
  return spec?.resources === undefined ? { containers } : { containers, pod: spec.resources };
}

function sameResources(a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean {
  const same = (x: Readonly<Record<string, string>> = {}, y: Readonly<Record<string, string>> = {}): boolean => {
    const names = new Set([...Object.keys(x), ...Object.keys(y)]);
    return [...names].every(
      (name) => x[name] !== undefined && y[name] !== undefined && parseQuantity(x[name]).equals(parseQuantity(y[name])),
    );
  };
  return same(a?.limits, b?.limits) && same(a?.requests, b?.requests);
}
