import type { PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
/**
 * The plugin VolumeBinding: bound volumes of a pod must be accessible on the node, and volumes are found or provisioned
 * there for claims that wait for their first consumer.
 */
import { featureEnabled } from '../../../machinery/index.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import type { Handle } from '../../framework/handle.ts';
import type { ClusterEventWithHint, Plugin } from '../../framework/plugin.ts';
import { skip, Status } from '../../framework/status.ts';
import type { UtilizationShapePoint } from '../node-resources-fit/scoring-strategy.ts';
import { claimSignature, claimVolumes } from '../pod-claims.ts';
import { bindVolumes } from './bind-volumes.ts';
import { capacityScorer, DEFAULT_SHAPE } from './capacity-score.ts';
import type { VolumePlan } from './volume-plan.ts';
import { VolumePlanner, type PodVolumeClaims } from './volume-planner.ts';

interface VolumeBindingArgs {
  readonly bindTimeoutSeconds?: number;
  /** The score by utilization, with the feature gate StorageCapacityScoring. */
  readonly shape?: readonly UtilizationShapePoint[];
}

const NAME = 'VolumeBinding';

interface PodState {
  readonly claims: PodVolumeClaims;
  /** By node. */
  readonly plans: Map<string, VolumePlan>;
}

export const volumeBinding = (args: VolumeBindingArgs, handle: Handle): Plugin => new VolumeBinding(args, handle);

class VolumeBinding implements Plugin {
  readonly name = NAME;
  readonly signature = claimSignature;
  readonly #handle: Handle;
  readonly #planner: VolumePlanner;
  readonly #timeoutMs: number;
  readonly #scoreOf: ((plan: VolumePlan) => number) | undefined;

  constructor(args: VolumeBindingArgs, handle: Handle) {
    this.#handle = handle;
    this.#planner = new VolumePlanner(handle.listers);
    this.#timeoutMs = (args.bindTimeoutSeconds ?? 600) * 1000;
    const isScored = featureEnabled('StorageCapacityScoring', handle.featureGates);
    this.#scoreOf = isScored ? capacityScorer(args.shape ?? DEFAULT_SHAPE) : undefined;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return EVENTS;
  }

  preFilter(state: CycleState, pod: PodInfo): { status: Status } | undefined {
    state.delete(NAME);
    if (claimVolumes(pod).length === 0) return { status: skip() };
    const claims = this.#planner.claimsOf(pod);
    if (claims instanceof Status) return { status: claims };
    state.set(NAME, { claims, plans: new Map() } satisfies PodState);
    return undefined;
  }

  filter(state: CycleState, _pod: PodInfo, node: NodeInfo): Status | undefined {
    const { claims, plans } = state.get<PodState>(NAME)!;
    const plan = this.#planner.plan(claims, node);
    if (plan instanceof Status) return plan;
    plans.set(node.name, plan);
    return undefined;
  }

  preScore(state: CycleState): Status | undefined {
    const hasPlans = (state.get<PodState>(NAME)?.plans.size ?? 0) > 0;
    return this.#scoreOf !== undefined && hasPlans ? undefined : skip();
  }

  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    const plan = planFor(state, node.name);
    return plan === undefined || this.#scoreOf === undefined ? 0 : this.#scoreOf(plan);
  }

  reserve(state: CycleState, _pod: PodInfo, nodeName: string): undefined {
    const plan = planFor(state, nodeName);
    if (plan !== undefined) this.#planner.assume(plan, nodeName);
    return undefined;
  }

  unreserve(state: CycleState, _pod: PodInfo, nodeName: string): void {
    const plan = planFor(state, nodeName);
    if (plan !== undefined) this.#planner.restore(plan);
  }

  preBindNeeded(state: CycleState, _pod: PodInfo, nodeName: string): boolean {
    const plan = planFor(state, nodeName);
    return plan !== undefined && plan.bindings.length + plan.provisions.length > 0;
  }

  preBind(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Status | undefined> {
    const plan = planFor(state, nodeName)!;
    return bindVolumes(this.#handle, { pod, nodeName, plan, timeoutMs: this.#timeoutMs, signal });
  }
}

const planFor = (state: CycleState, nodeName: string): VolumePlan | undefined =>
  state.get<PodState>(NAME)?.plans.get(nodeName);

const EVENTS: readonly ClusterEventWithHint[] = [
  { resource: 'StorageClass', action: Action.Add | ANY_UPDATE },
  {
    resource: 'PersistentVolumeClaim',
    action: Action.Add | ANY_UPDATE,
    hint: (pod, _before, after) => {
      const { namespace, name } = (after as PersistentVolumeClaim).metadata;
      return namespace === pod.namespace && claimVolumes(pod).some((volume) => volume.name === name);
    },
  },
  { resource: 'PersistentVolume', action: Action.Add | ANY_UPDATE },
  { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel },
  { resource: 'CSINode', action: Action.Add | ANY_UPDATE },
  { resource: 'CSIDriver', action: ANY_UPDATE },
  { resource: 'CSIStorageCapacity', action: Action.Add | ANY_UPDATE },
];
