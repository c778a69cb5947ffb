/** Finds volumes for the claims of a pod on a node, or plans their provisioning. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { Status, unresolvable } from '../../framework/status.ts';
import type { Listers } from '../../listers.ts';
import { claimVolumes, isFullyBound, storageClassOf } from '../pod-claims.ts';
import { AssumeCache } from './assume-cache.ts';
import { findMatchingVolume, requestedBytes, volumeIsOnNode } from './find-matching-volume.ts';
import { provisionable, SELECTED_NODE } from './provisioning.ts';
import { claimedBy, provisionedOn, type VolumePlan } from './volume-plan.ts';

const REASONS = {
  bind: "node(s) didn't find available persistent volumes to bind",
  node: "node(s) didn't match PersistentVolume's node affinity",
  space: 'node(s) did not have enough free storage',
  missing: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
};

export interface PodVolumeClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** Claims with the binding mode WaitForFirstConsumer. */
  readonly delayed: readonly PersistentVolumeClaim[];
}

type Mutable<T> = T extends readonly (infer E)[] ? E[] : never;

export class VolumePlanner {
  readonly #listers: Listers;
  readonly #claims: AssumeCache<PersistentVolumeClaim>;
  readonly #volumes: AssumeCache<PersistentVolume>;

  constructor(listers: Listers) {
    this.#listers = listers;
    this.#claims = new AssumeCache((key) => listers.get('v1/persistentvolumeclaims', key));
    this.#volumes = new AssumeCache((key) => listers.get('v1/persistentvolumes', key));
  }

  /** The claims of a pod, or why it cannot be scheduled yet. */
  claimsOf(pod: PodInfo): PodVolumeClaims | Status {
    const bound: PersistentVolumeClaim[] = [];
    const delayed: PersistentVolumeClaim[] = [];
    let immediate = false;
    for (const { name, ephemeral } of claimVolumes(pod)) {
      const claim = this.#claims.get(`${pod.namespace}/${name}`);
      const problem = claimProblem(pod, claim, name, ephemeral);
      if (problem !== undefined) return unresolvable(problem);
      if (isFullyBound(claim!)) bound.push(claim!);
      else if (this.#isDelayed(claim!) && (claim!.spec?.volumeName ?? '') === '') delayed.push(claim!);
      else immediate = true;
    }
    if (immediate) return unresolvable('pod has unbound immediate PersistentVolumeClaims');
    delayed.sort((a, b) => requestedBytes(a) - requestedBytes(b));
    return { bound, delayed };
  }

  #isDelayed(claim: PersistentVolumeClaim): boolean {
    const className = storageClassOf(claim);
    if (className === '') return false;
    const storageClass = this.#listers.get('storage.k8s.io/v1/storageclasses', className);
    return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  }

  /** A plan for the node, or why there is none. */
  plan({ bound, delayed }: PodVolumeClaims, node: NodeInfo): VolumePlan | Status {
    const reasons = new Set<string>();
    for (const claim of bound) {
      const volume = this.#volumes.get(claim.spec!.volumeName!);
      if (volume === undefined) reasons.add(REASONS.missing);
      else if (!volumeIsOnNode(volume, node)) reasons.add(REASONS.node);
    }
    const plan = this.#planDelayed(delayed, node, reasons);
    return reasons.size > 0 ? new Status('UnschedulableAndUnresolvable', [...reasons]) : plan;
  }

  #planDelayed(delayed: readonly PersistentVolumeClaim[], node: NodeInfo, reasons: Set<string>): VolumePlan {
    const bindings: Mutable<VolumePlan['bindings']> = [];
    const provisions: Mutable<VolumePlan['provisions']> = [];
    const chosen = new Set<string>();
    const volumes = delayed.length === 0 ? [] : this.#allVolumes();
    for (const claim of delayed) {
      const toProvision = claim.metadata.annotations?.[SELECTED_NODE] !== undefined;
      const volume = toProvision ? undefined : findMatchingVolume(claim, volumes, node, chosen);
      if (volume !== undefined) {
        chosen.add(volume.metadata.name ?? '');
        bindings.push({ claim, volume });
        continue;
      }
      const result = provisionable(claim, node, this.#listers);
      if (typeof result === 'object') provisions.push({ claim, freeBytes: result.freeBytes });
      else reasons.add(result === 'no space' ? REASONS.space : REASONS.bind);
    }
    return { bindings, provisions };
  }

  #allVolumes(): PersistentVolume[] {
    return this.#listers
      .list('v1/persistentvolumes')
      .map((volume) => this.#volumes.get(volume.metadata.name ?? '') ?? volume);
  }

  /** Later plans cannot use the volumes of this one. */
  assume({ bindings, provisions }: VolumePlan, nodeName: string): void {
    for (const { claim, volume } of bindings) this.#volumes.assume(claimedBy(volume, claim));
    for (const { claim } of provisions) this.#claims.assume(provisionedOn(claim, nodeName));
  }

  restore({ bindings, provisions }: VolumePlan): void {
    for (const { volume } of bindings) this.#volumes.restore(volume.metadata.name ?? '');
    for (const { claim } of provisions) this.#claims.restore(`${claim.metadata.namespace}/${claim.metadata.name}`);
  }
}

function claimProblem(
  pod: PodInfo,
  claim: PersistentVolumeClaim | undefined,
  name: string,
  ephemeral: boolean,
): string | undefined {
  const quoted = JSON.stringify(name);
  if (claim === undefined) {
    return ephemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`
      : `persistentvolumeclaim ${quoted} not found`;
  }
  if (claim.status?.phase === 'Lost') {
    const volumeName = JSON.stringify(claim.spec?.volumeName ?? '');
    return `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${volumeName}`;
  }
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim ${quoted} is being deleted`;
  const isOwned = claim.metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === pod.uid);
  if (!ephemeral || isOwned) return undefined;
  return `PVC ${pod.namespace}/${name} was not created for pod ${pod.key} (pod is not owner)`;
}
