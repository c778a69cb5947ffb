/** Pods that are nominated to a node by preemption: pods of lower or equal priority must not use their room. */
import type { PodInfo } from './pod-info.ts';

export class Nominator {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodeOf = new Map<string, string>();
  readonly #changed: (nodeName: string) => void;

  constructor(changed: (nodeName: string) => void) {
    this.#changed = changed;
  }

  get isEmpty(): boolean {
    return this.#nodeOf.size === 0;
  }

  /** The default is the nominated node of the pod's status. */
  add(pod: PodInfo, nodeName: string = pod.nominatedNodeName): void {
    if (this.#nodeOf.get(pod.uid) === nodeName && this.#byNode.get(nodeName)?.get(pod.uid) === pod) return;
    this.remove(pod);
    if (nodeName === '') return;
    let pods = this.#byNode.get(nodeName);
    if (pods === undefined) this.#byNode.set(nodeName, (pods = new Map()));
    pods.set(pod.uid, pod);
    this.#nodeOf.set(pod.uid, nodeName);
    this.#changed(nodeName);
  }

  remove(pod: { readonly uid: string }): void {
    const nodeName = this.#nodeOf.get(pod.uid);
    if (nodeName === undefined) return;
    this.#nodeOf.delete(pod.uid);
    const pods = this.#byNode.get(nodeName);
    pods?.delete(pod.uid);
    if (pods?.size === 0) this.#byNode.delete(nodeName);
    this.#changed(nodeName);
  }

  nodeOf(uid: string): string | undefined {
    return this.#nodeOf.get(uid);
  }

  on(nodeName: string): Iterable<PodInfo> {
    return this.#byNode.get(nodeName)?.values() ?? [];
  }

  has(nodeName: string): boolean {
    return this.#byNode.has(nodeName);
  }
}
