import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import { featureEnabled } from '../../framework/feature-gates.ts';
import type { Handle } from '../../framework/handle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { skip, Status, unresolvable } from '../../framework/status.ts';
import type { UtilizationShapePoint } from '../node-resources-fit/scoring-strategy.ts';
import { claimSignature, claimVolumes, isFullyBound, storageClassOf } from '../pod-claims.ts';
import { AssumeCache } from './assume-cache.ts';
import { bindVolumes } from './bind-volumes.ts';
import { capacityScorer, DEFAULT_SHAPE } from './capacity-score.ts';
import { findMatchingVolume, volumeIsOnNode, requestedBytes } from './find-matching-volume.ts';
import { provisionable, SELECTED_NODE } from './provisioning.ts';
import { claimedBy, provisionedOn, type VolumePlan } from './volume-plan.ts';

export interface VolumeBindingArgs {
  readonly bindTimeoutSeconds?: number;
  /** Points of the score by utilization, where storage capacity is scored at all. */
  readonly shape?: readonly UtilizationShapePoint[];
}

const NAME = 'VolumeBinding';
const REASONS = {
  bind: "node(s) didn't find available persistent volumes to bind",
  node: "node(s) didn't match PersistentVolume's node affinity",
  space: 'node(s) did not have enough free storage',
  missing: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
};

interface State {
  readonly bound: readonly PersistentVolumeClaim[];
  /** Claims that wait for their first consumer: the node decides which volume it will be. */
  readonly delayed: readonly PersistentVolumeClaim[];
  readonly plans: Map<string, VolumePlan>;
}

/** Claims must have volumes that the node can reach; those that wait for a consumer get theirs with the node. */
export function volumeBinding(args: VolumeBindingArgs, handle: Handle): Plugin {
  const { listers } = handle;
  const claims = new AssumeCache<PersistentVolumeClaim>((key) => listers.get('v1/persistentvolumeclaims', key));
  const volumes = new AssumeCache<PersistentVolume>((key) => listers.get('v1/persistentvolumes', key));
  const timeoutMs = (args.bindTimeoutSeconds ?? 600) * 1000;
  const scoreOf = featureEnabled(handle.featureGates, 'StorageCapacityScoring') ? capacityScorer(args.shape ?? DEFAULT_SHAPE) : undefined;

  const isDelayed = (claim: PersistentVolumeClaim): boolean | string => {
    const className = storageClassOf(claim);
    if (className === '') return false;
    const storageClass = listers.get('storage.k8s.io/v1/storageclasses', className);
    return storageClass === undefined ? false : storageClass.volumeBindingMode === 'WaitForFirstConsumer';
  };

  const gather = (pod: PodInfo): State | Status => {
    const bound: PersistentVolumeClaim[] = [];
    const delayed: PersistentVolumeClaim[] = [];
    let immediate = false;
    for (const { name, ephemeral } of claimVolumes(pod)) {
      const claim = claims.get(`${pod.namespace}/${name}`);
      const problem = claimProblem(pod, claim, name, ephemeral);
      if (problem !== undefined) return unresolvable(problem);
      if (isFullyBound(claim!)) bound.push(claim!);
      else if (isDelayed(claim!) && (claim!.spec?.volumeName ?? '') === '') delayed.push(claim!);
      else immediate = true;
    }
    if (immediate) return unresolvable('pod has unbound immediate PersistentVolumeClaims');
    delayed.sort((a, b) => requestedBytes(a) - requestedBytes(b));
    return { bound, delayed, plans: new Map() };
  };

  /** A plan for the node, or why there is none. */
  const plan = ({ bound, delayed }: State, node: NodeInfo): VolumePlan | Status => {
    const reasons = new Set<string>();
    for (const claim of bound) {
      const volume = volumes.get(claim.spec!.volumeName!);
      if (volume === undefined) reasons.add(REASONS.missing);
      else if (!volumeIsOnNode(volume, node)) reasons.add(REASONS.node);
    }
    const bindings: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
    const provisions: { claim: PersistentVolumeClaim; freeBytes: number | undefined }[] = [];
    const taken = new Set<string>();
    const all = delayed.length === 0 ? [] : listers.list('v1/persistentvolumes').map((v) => volumes.get(v.metadata.name ?? '') ?? v);
    for (const claim of delayed) {
      const toProvision = claim.metadata.annotations?.[SELECTED_NODE] !== undefined;
      const volume = toProvision ? undefined : findMatchingVolume(claim, all, node, taken);
      if (volume !== undefined) {
        taken.add(volume.metadata.name ?? '');
        bindings.push({ claim, volume });
        continue;
      }
      const answer = provisionable(claim, node, listers);
      if (typeof answer === 'object') provisions.push({ claim, freeBytes: answer.freeBytes });
      else reasons.add(answer === 'no space' ? REASONS.space : REASONS.bind);
    }
    return reasons.size > 0 ? new Status('UnschedulableAndUnresolvable', [...reasons]) : { bindings, provisions };
  };

  return {
    name: NAME,
    signature: claimSignature,
    preFilter(state, pod) {
      state.delete(NAME);
      if (claimVolumes(pod).length === 0) return { status: skip() };
      const data = gather(pod);
      if (data instanceof Status) return { status: data };
      state.set(NAME, data);
      return undefined;
    },
    filter(state, _pod, node) {
      const data = state.get<State>(NAME)!;
      const result = plan(data, node);
      if (result instanceof Status) return result;
      data.plans.set(node.name, result);
      return undefined;
    },
    preScore: (state) => (scoreOf === undefined || (state.get<State>(NAME)?.plans.size ?? 0) === 0 ? skip() : undefined),
    score(state, _pod, node) {
      const chosen = state.get<State>(NAME)?.plans.get(node.name);
      return chosen === undefined || scoreOf === undefined ? 0 : scoreOf(chosen);
    },
    reserve(state, _pod, nodeName) {
      const chosen = state.get<State>(NAME)?.plans.get(nodeName);
      for (const { claim, volume } of chosen?.bindings ?? []) volumes.assume(claimedBy(volume, claim));
      for (const { claim } of chosen?.provisions ?? []) claims.assume(provisionedOn(claim, nodeName));
      return undefined;
    },
    unreserve(state, _pod, nodeName) {
      const chosen = state.get<State>(NAME)?.plans.get(nodeName);
      for (const { volume } of chosen?.bindings ?? []) volumes.restore(volume.metadata.name ?? '');
      for (const { claim } of chosen?.provisions ?? []) claims.restore(`${claim.metadata.namespace}/${claim.metadata.name}`);
    },
    preBindNeeded(state, _pod, nodeName) {
      const chosen = state.get<State>(NAME)?.plans.get(nodeName);
      return chosen !== undefined && chosen.bindings.length + chosen.provisions.length > 0;
    },
    preBind(state, pod, nodeName, signal) {
      return bindVolumes(handle, { pod, nodeName, plan: state.get<State>(NAME)!.plans.get(nodeName)!, timeoutMs, signal });
    },
    eventsToRegister: () => [
      { resource: 'StorageClass', action: Action.Add | ANY_UPDATE },
      {
        resource: 'PersistentVolumeClaim',
        action: Action.Add | ANY_UPDATE,
        hint: (pod, _before, after) => {
          const claim = after as PersistentVolumeClaim;
          return claim.metadata.namespace === pod.namespace && claimVolumes(pod).some((c) => c.name === claim.metadata.name);
        },
      },
      { resource: 'PersistentVolume', action: Action.Add | ANY_UPDATE },
      { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel },
      { resource: 'CSINode', action: Action.Add | ANY_UPDATE },
      { resource: 'CSIDriver', action: ANY_UPDATE },
      { resource: 'CSIStorageCapacity', action: Action.Add | ANY_UPDATE },
    ],
  };
}

function claimProblem(pod: PodInfo, claim: PersistentVolumeClaim | undefined, name: string, ephemeral: boolean): string | undefined {
  const quoted = JSON.stringify(name);
  if (claim === undefined) return ephemeral ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}` : `persistentvolumeclaim ${quoted} not found`;
  if (claim.status?.phase === 'Lost') return `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${JSON.stringify(claim.spec?.volumeName ?? '')}`;
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim ${quoted} is being deleted`;
  if (ephemeral && !claim.metadata.ownerReferences?.some((o) => o.controller && o.uid === pod.uid)) return `PVC ${pod.namespace}/${name} was not created for pod ${pod.key} (pod is not owner)`;
  return undefined;
}
