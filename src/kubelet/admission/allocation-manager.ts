/**
 * The allocation manager: the resources that the kubelet has allocated to each pod, and in-place pod resize. A resize
 * is allocated when it fits, Deferred when other pods use the resources, and Infeasible when the node can never provide
 * them. Allocations are stored in `allocated_pods_state` and survive a restart of the kubelet, and its exchange for
 * upstream's, which has the same file and ends at one that it cannot read.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Container, Pod, PodCondition, ResourceRequirements } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { computePodQos } from '../../component-helpers/index.ts';
import { writeFileDurably } from '../../kernel/index.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { isStaticPod, allocatedRequests } from '../pod/pod-resources.ts';
import { allocationsText, readAllocations, type AllocatedResources } from './allocation-checkpoint.ts';

type ResizeCondition = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

const FILE = 'allocated_pods_state';

export class AllocationManager {
  readonly #directory: string;
  readonly #allocated = new Map<string, AllocatedResources>();
  readonly #pending = new Map<string, ResizeCondition>();
  #saving: Promise<void> = Promise.resolve();

  constructor(rootDirectory: string) {
    this.#directory = rootDirectory;
  }

  async load(): Promise<void> {
    const text = await fs.readFile(path.join(this.#directory, FILE), 'utf8').catch(() => undefined);
    if (text === undefined) return;
    try {
      for (const [uid, allocated] of readAllocations(text)) this.#allocated.set(uid, allocated);
    } catch {
      // Without a readable file, pods are allocated what their specs request.
    }
  }

  /** Allocates the resources of the pod's spec. */
  allocate(pod: Pod): void {
    this.#allocated.set(uidOf(pod), resourcesOf(pod));
    this.#pending.delete(uidOf(pod));
    this.#save();
  }

  hasAllocation(pod: Pod): boolean {
    return this.#allocated.has(uidOf(pod));
  }

  removePod(uid: string): void {
    this.#pending.delete(uid);
    if (this.#allocated.delete(uid)) this.#save();
  }

  /** The pod with its allocated resources in place of those in its spec. */
  withAllocatedResources(pod: Pod): Pod {
    const allocated = this.#allocated.get(uidOf(pod));
    if (allocated === undefined || pod.spec === undefined) return pod;
    const replace = (container: Container): Container => {
      const resources = allocated[container.name];
      return resources === undefined || sameResources(resources, container.resources)
        ? container
        : { ...container, resources };
    };
    const containers = pod.spec.containers.map(replace);
    const initContainers = pod.spec.initContainers?.map(replace);
    const unchanged =
      containers.every((one, i) => one === pod.spec?.containers[i]) &&
      (initContainers?.every((one, i) => one === pod.spec?.initContainers?.[i]) ?? true);
    return unchanged
      ? pod
      : { ...pod, spec: { ...pod.spec, containers, ...(initContainers === undefined ? {} : { initContainers }) } };
  }

  pendingCondition(uid: string): ResizeCondition | undefined {
    return this.#pending.get(uid);
  }

  /** Allocates the resources of a resized spec if they fit; otherwise sets the PodResizePending condition. */
  tryResize(
    pod: Pod,
    others: readonly Pod[],
    allocatable: Readonly<Record<string, string>>,
  ): 'none' | 'allocated' | 'pending' {
    const uid = uidOf(pod);
    const allocated = this.#allocated.get(uid);
    if (allocated === undefined) return 'none';
    const wanted = resourcesOf(pod);
    if (Object.entries(wanted).every(([name, resources]) => sameResources(allocated[name], resources))) {
      this.#pending.delete(uid);
      return 'none';
    }
    const setPending = (reason: 'Infeasible' | 'Deferred', message: string): 'pending' => {
      this.#pending.set(uid, { type: 'PodResizePending', status: 'True', reason, message });
      return 'pending';
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
    await this.#saving;
  }

  #save(): void {
    const text = allocationsText(this.#allocated);
    const file = path.join(this.#directory, FILE);
    this.#saving = this.#saving.then(() => writeFileDurably(file, text)).catch(() => {});
  }
}

function resourcesOf({ spec }: Pod): AllocatedResources {
  return Object.fromEntries(
    [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name, resources }) => [
      name,
      resources ?? {},
    ]),
  );
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
