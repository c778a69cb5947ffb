import type { Pod } from '../../../api/generated/core-v1.ts';
import type { DeviceClass, ResourceClaim } from '../../../api/generated/resource-v1.ts';
import { formatTime } from '../../../base/index.ts';
import { nodeSelectorMatcher } from '../../../component-helpers/index.ts';
/**
 * The plugin DynamicResources: allocates the devices of ResourceClaims among those that drivers publish in
 * ResourceSlices.
 */
import { featureEnabled } from '../../../machinery/index.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import type { Handle } from '../../framework/handle.ts';
import type { ClusterEventWithHint, FeasibleNodes, Plugin, PostFilterResult } from '../../framework/plugin.ts';
import { errorStatus, skip, Status, unresolvable, unschedulable } from '../../framework/status.ts';
import { normalizeByMaximum } from '../normalize.ts';
import { allocate } from './allocator.ts';
import { AssumedAllocations } from './assumed-allocations.ts';
import { ClaimWriter } from './claim-writer.ts';
import { claimsOf, isReservedFor, MAX_RESERVED } from './claims.ts';
import { usageOf } from './device-usage.ts';
import { staleClaimOf, deviceClassOf, extendedClaim, extendedRequests } from './extended-resources.ts';
import { NO_CLAIMS, type ClaimToAllocate, type NodeAllocation, type NodeClaim, type PodState } from './pod-state.ts';
import { poolsOf } from './pools.ts';
import { preferenceScore } from './preference-score.ts';
import { requestsOf } from './requests.ts';

const NAME = 'DynamicResources';
const NOT_ON_NODE = unresolvable('resourceclaim not available on the node');
const STALE_CLAIM = unschedulable('cannot schedule extended resource claim');
const CANNOT_ALLOCATE = unresolvable('cannot allocate all claims');

export const dynamicResources = (handle: Handle): Plugin => new DynamicResources(handle);

class DynamicResources implements Plugin {
  readonly name = NAME;
  readonly #handle: Handle;
  readonly #assumed: AssumedAllocations;
  readonly #writer: ClaimWriter;

  constructor(handle: Handle) {
    this.#handle = handle;
    this.#assumed = new AssumedAllocations(handle.listers);
    this.#writer = new ClaimWriter(handle);
  }

  signature(pod: PodInfo): string | undefined {
    return hasClaims(pod) || this.#extendedOf(pod).length > 0 ? undefined : '';
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return EVENTS;
  }

  preEnqueue(pod: PodInfo): Status | undefined {
    if (!hasClaims(pod)) return undefined;
    const { missing } = claimsOf(pod, this.#find);
    return missing === undefined ? undefined : unresolvable(missing);
  }

  preFilter(state: CycleState, pod: PodInfo): { status: Status } | undefined {
    state.delete(NAME);
    const extended = this.#extendedOf(pod);
    if (!hasClaims(pod) && extended.length === 0) {
      state.set(NAME, NO_CLAIMS);
      return { status: skip() };
    }
    const { claims, missing } = claimsOf(pod, this.#find);
    if (missing !== undefined) return { status: unresolvable(missing) };
    const toAllocate = this.#toAllocate(pod, claims);
    if (toAllocate instanceof Status) return { status: toAllocate };
    state.set(NAME, {
      claims,
      toAllocate,
      usage: usageOf(this.#assumed.claims()),
      found: new Map(),
      unavailable: new Set(),
      extended,
      staleClaim: extended.length === 0 ? undefined : staleClaimOf(pod.pod, this.#assumed.claims()),
      created: undefined,
    } satisfies PodState);
    return undefined;
  }

  filter(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    const data = state.get<PodState>(NAME)!;
    for (const claim of data.claims) {
      const selector = claim.status?.allocation?.nodeSelector;
      if (selector === undefined || nodeSelectorMatcher(selector)(node)) continue;
      data.unavailable.add(claim);
      return NOT_ON_NODE;
    }
    if (data.staleClaim !== undefined) return STALE_CLAIM;
    const extended = this.#nodeClaim(data, pod, node);
    const wanted: ClaimToAllocate[] = [...data.toAllocate];
    if (extended !== undefined) {
      const requests = requestsOf(extended.claim, this.#classOf);
      if (typeof requests === 'string') return unresolvable(requests);
      wanted.push({ claim: extended.claim, requests });
    }
    return wanted.length === 0 ? undefined : this.#allocateOn(node, data, { wanted, extended });
  }

  postFilter(state: CycleState): PostFilterResult | Promise<PostFilterResult> {
    const data = state.get<PodState>(NAME);
    if (data === undefined) return { status: new Status('Error', ['not found']) };
    if (data.staleClaim !== undefined) {
      const deleted = this.#writer.delete(data.staleClaim, this.#handle.signal);
      return unschedulableAfter(deleted, 'deletion of ResourceClaim completed');
    }
    if (data.claims.length === 0) return { status: unschedulable('no new claims to deallocate') };
    for (const claim of data.unavailable) {
      if ((claim.status?.reservedFor?.length ?? 0) > 0) continue;
      return unschedulableAfter(this.#writer.deallocate(claim), 'deallocation of ResourceClaim completed');
    }
    return { status: unschedulable('still not schedulable') };
  }

  preScore(state: CycleState): Status | undefined {
    return (state.get<PodState>(NAME)?.toAllocate.length ?? 0) === 0 ? skip() : undefined;
  }

  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    const data = state.get<PodState>(NAME);
    const found = data?.found.get(node.name);
    if (data === undefined || found === undefined) return 0;
    return preferenceScore(
      data.toAllocate.map(({ claim }) => claim),
      found.results,
    );
  }

  normalizeScores(_state: CycleState, _pod: PodInfo, { count }: FeasibleNodes, scores: Float64Array): void {
    normalizeByMaximum(scores, count, false);
  }

  reserve(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined {
    const data = state.get<PodState>(NAME);
    const found = data?.found.get(nodeName);
    if (data === undefined || (data.toAllocate.length === 0 && found === undefined)) return undefined;
    if (found === undefined) return new Status('Error', [`no allocation for node ${nodeName}`]);
    data.toAllocate.forEach(({ claim }, i) => this.#assumed.assume(claim, found.results[i]!));
    if (found.extended !== undefined) this.#assumed.assumeExtended(pod, found.extended.claim, found.results.at(-1)!);
    return undefined;
  }

  unreserve(state: CycleState, pod: PodInfo): void {
    const data = state.get<PodState>(NAME);
    if (data === undefined) return;
    this.#assumed.forgetExtended(pod);
    if (data.created !== undefined) {
      this.#assumed.forget(data.created);
      this.#writer.deleteInBackground(data.created);
    }
    for (const { claim } of data.toAllocate) this.#assumed.forget(claim);
    for (const claim of data.claims) {
      const current = this.#find(`${claim.metadata.namespace}/${claim.metadata.name ?? ''}`);
      if (current !== undefined && isReservedFor(current, pod.uid)) this.#writer.unreserveInBackground(pod, claim);
    }
  }

  preBindNeeded(state: CycleState, _pod: PodInfo, nodeName: string): boolean {
    const data = state.get<PodState>(NAME);
    return data !== undefined && (data.claims.length > 0 || data.found.get(nodeName)?.extended !== undefined);
  }

  async preBind(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<undefined> {
    const data = state.get<PodState>(NAME)!;
    for (const claim of data.claims) {
      if (isReservedFor(claim, pod.uid)) continue;
      await this.#writer.reserve(pod, claim, this.#assumed.get(claim), signal);
    }
    const found = data.found.get(nodeName);
    if (found?.extended !== undefined) await this.#bindExtended(data, pod, found, signal);
    for (const { claim } of data.toAllocate) this.#assumed.forgetWhenSeen(claim);
    return undefined;
  }

  readonly #find = (key: string): ResourceClaim | undefined =>
    this.#handle.listers.get('resource.k8s.io/v1/resourceclaims', key);

  readonly #classOf = (name: string): DeviceClass | undefined =>
    this.#handle.listers.get('resource.k8s.io/v1/deviceclasses', name);

  #classes(): readonly DeviceClass[] {
    return this.#handle.listers.list('resource.k8s.io/v1/deviceclasses');
  }

  /** The extended resources of a pod that a DeviceClass provides. */
  #extendedOf(pod: PodInfo): string[] {
    const { scalars } = pod.shape.requests;
    if (scalars.length === 0 || !featureEnabled('DRAExtendedResource', this.#handle.featureGates)) return [];
    const classes = this.#classes();
    return scalars.map(([name]) => name).filter((name) => deviceClassOf(name, classes) !== undefined);
  }

  /** The claims without an allocation, with what they request; a status when the pod cannot have all its claims. */
  #toAllocate(pod: PodInfo, claims: readonly ResourceClaim[]): ClaimToAllocate[] | Status {
    const toAllocate: ClaimToAllocate[] = [];
    for (const claim of claims) {
      if (claim.status?.allocation !== undefined) {
        const isFull = (claim.status.reservedFor?.length ?? 0) >= MAX_RESERVED;
        if (isFull && !isReservedFor(claim, pod.uid)) return unresolvable('resourceclaim in use');
        continue;
      }
      if (this.#assumed.get(claim) !== undefined) {
        return unresolvable(`resource claim ${claim.metadata.name} is in the process of being allocated`);
      }
      const requests = requestsOf(claim, this.#classOf);
      if (typeof requests === 'string') return unresolvable(requests);
      toAllocate.push({ claim, requests });
    }
    return toAllocate;
  }

  /** The claim for the extended resources that the node does not provide itself. */
  #nodeClaim(data: PodState, pod: PodInfo, node: NodeInfo): NodeClaim | undefined {
    const lacking = data.extended.filter((name) => node.table.scalar(name).allocatable[node.slot] === 0);
    if (lacking.length === 0) return undefined;
    const classes = this.#classes();
    const classNameOf = (resource: string): string => deviceClassOf(resource, classes)?.metadata.name ?? '';
    const { requests, mappings } = extendedRequests(pod.pod, lacking, classNameOf);
    return { claim: extendedClaim(pod.pod, requests), mappings };
  }

  #allocateOn(
    node: NodeInfo,
    data: PodState,
    { wanted, extended }: { wanted: readonly ClaimToAllocate[]; extended: NodeClaim | undefined },
  ): Status | undefined {
    const { clock, listers, random } = this.#handle;
    try {
      const results = allocate(wanted, {
        pools: poolsOf(listers.list('resource.k8s.io/v1/resourceslices'), node),
        usage: data.usage,
        classes: this.#classOf,
        now: formatTime(clock.now()),
        shareId: () => random.uid(),
      });
      if (results === undefined) return CANNOT_ALLOCATE;
      data.found.set(node.name, { results, extended });
      return undefined;
    } catch (error) {
      // A selector that fails on one node is wrong on all of them: the pod must not land on another by chance.
      return errorStatus(error);
    }
  }

  /** Creates the claim for extended resources, and writes to the pod's status which container uses which request. */
  async #bindExtended(data: PodState, pod: PodInfo, found: NodeAllocation, signal: AbortSignal): Promise<void> {
    const allocation = found.results.at(-1)!;
    const claim = await this.#writer.create(found.extended!.claim, signal);
    data.created = claim;
    this.#assumed.assume(claim, allocation);
    this.#assumed.forgetExtended(pod);
    await this.#writer.reserve(pod, claim, allocation, signal);
    await this.#writer.writePodStatus(pod, claim, found.extended!.mappings, signal);
    this.#assumed.forgetWhenSeen(claim);
  }
}

const hasClaims = ({ pod }: PodInfo): boolean => (pod.spec?.resourceClaims?.length ?? 0) > 0;

async function unschedulableAfter(write: Promise<void>, message: string): Promise<PostFilterResult> {
  try {
    await write;
    return { status: unschedulable(message) };
  } catch (error) {
    return { status: errorStatus(error) };
  }
}

type MaybeClaim = ResourceClaim | undefined;

const EVENTS: readonly ClusterEventWithHint[] = [
  { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel | Action.UpdateNodeTaint },
  {
    resource: 'ResourceClaim',
    action: Action.Add | Action.Delete | ANY_UPDATE,
    hint: (pod, before, after) => claimHelps(pod, before as MaybeClaim, after as MaybeClaim),
  },
  {
    resource: 'UnscheduledPod',
    action: Action.UpdatePodGeneratedResourceClaim,
    hint: (pod, _before, after) => (after as Pod).metadata.uid === pod.uid,
  },
  { resource: 'DeviceClass', action: Action.Add | ANY_UPDATE },
  { resource: 'ResourceSlice', action: Action.Add | ANY_UPDATE },
];

/** Whether the claim was deallocated, or is one of the pod's own. */
function claimHelps(pod: PodInfo, before: MaybeClaim, after: MaybeClaim): boolean {
  if (before?.status?.allocation !== undefined && after?.status?.allocation === undefined) return true;
  const claim = after ?? before;
  if (claim?.metadata.namespace !== pod.namespace) return false;
  const { spec, status } = pod.pod;
  const own = [...(spec?.resourceClaims ?? []), ...(status?.resourceClaimStatuses ?? [])];
  return own.some(({ resourceClaimName }) => resourceClaimName === claim.metadata.name);
}
