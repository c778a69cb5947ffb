/**
 * The resources that pods were granted here. A resize asks for others: it is granted when it fits, put off when it would
 * fit an emptier node, and refused when it never can. What was granted survives a restart of the kubelet.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Container, Pod, PodCondition, ResourceRequirements } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { computePodQos } from '../../component-helpers/index.ts';
import { writeFileDurably } from '../../kernel/index.ts';
import { isStaticPod, allocatedRequests } from '../pod/pod-resources.ts';
import { uidOf } from '../pod/pod-text.ts';

type Granted = Readonly<Record<string, ResourceRequirements>>;
type Bare = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

const FILE = 'allocated_pods_state';

export class Allocations {
  readonly #directory: string;
  readonly #granted = new Map<string, Granted>();
  readonly #pending = new Map<string, Bare>();
  #saving: Promise<void> = Promise.resolve();

  constructor(rootDirectory: string) {
    this.#directory = rootDirectory;
  }

  async load(): Promise<void> {
    const text = await fs.readFile(path.join(this.#directory, FILE), 'utf8').catch(() => undefined);
    if (text === undefined) return;
    try {
      for (const [uid, granted] of Object.entries(JSON.parse(text) as Record<string, Granted>))
        this.#granted.set(uid, granted);
    } catch {
      // What cannot be read is granted anew, as the pods say.
    }
  }

  /** The pod was admitted with what it asks for. */
  grant(pod: Pod): void {
    this.#granted.set(uidOf(pod), resourcesOf(pod));
    this.#pending.delete(uidOf(pod));
    this.#save();
  }

  isKnown(pod: Pod): boolean {
    return this.#granted.has(uidOf(pod));
  }

  forget(uid: string): void {
    this.#pending.delete(uid);
    if (this.#granted.delete(uid)) this.#save();
  }

  /** The pod with what it was granted in place of what it asks for. */
  apply(pod: Pod): Pod {
    const granted = this.#granted.get(uidOf(pod));
    if (granted === undefined || pod.spec === undefined) return pod;
    const replace = (container: Container): Container => {
      const resources = granted[container.name];
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

  pendingCondition(uid: string): Bare | undefined {
    return this.#pending.get(uid);
  }

  /** Grants a resize if it can be; the pod's condition says why not. */
  tryResize(
    pod: Pod,
    others: readonly Pod[],
    allocatable: Readonly<Record<string, string>>,
  ): 'none' | 'granted' | 'pending' {
    const uid = uidOf(pod);
    const granted = this.#granted.get(uid);
    if (granted === undefined) return 'none';
    const wanted = resourcesOf(pod);
    if (Object.entries(wanted).every(([name, resources]) => sameResources(granted[name], resources))) {
      this.#pending.delete(uid);
      return 'none';
    }
    const refuse = (reason: 'Infeasible' | 'Deferred', message: string): 'pending' => {
      this.#pending.set(uid, { type: 'PodResizePending', status: 'True', reason, message });
      return 'pending';
    };
    if (isStaticPod(pod)) return refuse('Infeasible', 'In-place resize of static-pods is not supported');
    const { spec } = this.apply(pod);
    if (pod.spec && spec && computePodQos(pod.spec) !== computePodQos(spec))
      return refuse('Infeasible', 'Pod resize would change its QoS class');
    const requests = allocatedRequests(pod);
    for (const name of ['cpu', 'memory']) {
      const measure = (quantity: ReturnType<typeof parseQuantity> | undefined): number =>
        quantity === undefined ? 0 : name === 'cpu' ? quantity.milliValue() : quantity.value();
      const capacity = measure(parseQuantity(allocatable[name] ?? '0'));
      const asked = measure(requests.get(name));
      if (asked > capacity)
        return refuse(
          'Infeasible',
          `Node didn't have enough capacity: ${name}, requested: ${asked}, capacity: ${capacity}`,
        );
      const used = others.reduce((sum, other) => sum + measure(allocatedRequests(other).get(name)), 0);
      if (asked > capacity - used)
        return refuse(
          'Deferred',
          `Node didn't have enough resource: ${name}, requested: ${asked}, used: ${used}, capacity: ${capacity}`,
        );
    }
    this.grant(pod);
    return 'granted';
  }

  async settled(): Promise<void> {
    await this.#saving;
  }

  #save(): void {
    const text = JSON.stringify(Object.fromEntries(this.#granted));
    const file = path.join(this.#directory, FILE);
    this.#saving = this.#saving.then(() => writeFileDurably(file, text)).catch(() => {});
  }
}

function resourcesOf({ spec }: Pod): Granted {
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
