import type { Pod } from '../../../api/generated/core-v1.ts';
import type { AllocationResult, DeviceClass, ResourceClaim } from '../../../api/generated/resource-v1.ts';
import { isNotFound, retryOnConflict } from '../../../client/index.ts';
import { formatTime } from '../../../machinery/time/index.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import { featureEnabled } from '../../framework/feature-gates.ts';
import type { Handle } from '../../framework/handle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { errorStatus, skip, Status, unresolvable, unschedulable } from '../../framework/status.ts';
import { nodeSelectorMatcher } from '../../../component-helpers/index.ts';
import { normalizeByMaximum } from '../normalize.ts';
import { allocate } from './allocator.ts';
import { claimsOf, isReservedFor, MAX_RESERVED } from './claims.ts';
import { usageOf, type DeviceUsage } from './device-usage.ts';
import { claimLeftFor, deviceClassOf, extendedClaim, extendedRequests, type ExtendedRequests } from './extended-resources.ts';
import { poolsOf } from './pools.ts';
import { preferenceScore } from './preference-score.ts';
import { requestsOf, type RequestToMeet } from './requests.ts';

const NAME = 'DynamicResources';
const FINALIZER = 'resource.kubernetes.io/delete-protection';
const NOT_ON_NODE = unresolvable('resourceclaim not available on the node');
const LEFTOVER = unschedulable('cannot schedule extended resource claim');
const CANNOT_ALLOCATE = unresolvable('cannot allocate all claims');

interface State {
  readonly claims: readonly ResourceClaim[];
  readonly toAllocate: readonly { claim: ResourceClaim; requests: readonly RequestToMeet[] }[];
  readonly usage: DeviceUsage;
  /** Allocations that were found, by node. */
  readonly found: Map<string, NodeAllocation>;
  /** Extended resources of the pod that stand for devices where nodes do not have them. */
  readonly extended: readonly string[];
  /** A claim for them from an earlier attempt, which must go first. */
  readonly leftover: ResourceClaim | undefined;
  /** Written to the API server by this attempt. */
  created: ResourceClaim | undefined;
  /** Claims with an allocation that no asked node could use. */
  readonly unavailable: Set<ResourceClaim>;
}

interface NodeAllocation {
  readonly results: readonly AllocationResult[];
  /** The claim for extended resources on this node; its allocation is the last one. */
  readonly extended: NodeClaim | undefined;
}

interface NodeClaim {
  readonly claim: ResourceClaim;
  readonly mappings: ExtendedRequests['mappings'];
}

/** Devices that pods claim: found by the descriptions that drivers publish, and written into the claims. */
export function dynamicResources(handle: Handle): Plugin {
  const { listers, client } = handle;
  /** Allocations that are decided but not seen from the API server yet, by the claim's uid. */
  const inFlight = new Map<string, { claim: ResourceClaim; allocation: AllocationResult }>();

  const find = (key: string): ResourceClaim | undefined => listers.get('resource.k8s.io/v1/resourceclaims', key);
  const classes = (name: string): DeviceClass | undefined => listers.get('resource.k8s.io/v1/deviceclasses', name);

  const allClaims = function* (): Iterable<ResourceClaim> {
    for (const claim of listers.list('resource.k8s.io/v1/resourceclaims')) if (!inFlight.has(claim.metadata.uid ?? '')) yield claim;
    for (const { claim, allocation } of inFlight.values()) yield { ...claim, status: { ...claim.status, allocation } };
  };

  const listClasses = (): readonly DeviceClass[] => listers.list('resource.k8s.io/v1/deviceclasses');
  /** The extended resources of a pod that a class of devices stands behind. */
  const extendedOf = (pod: PodInfo): string[] => {
    if (pod.shape.requests.scalars.length === 0 || !featureEnabled(handle.featureGates, 'DRAExtendedResource')) return [];
    const all = listClasses();
    return pod.shape.requests.scalars.map(([name]) => name).filter((name) => deviceClassOf(name, all) !== undefined);
  };

  const preFilter = (state: CycleState, pod: PodInfo): { status: Status } | undefined => {
    state.delete(NAME);
    const extended = extendedOf(pod);
    if ((pod.pod.spec?.resourceClaims?.length ?? 0) === 0 && extended.length === 0) {
      state.set(NAME, NO_CLAIMS);
      return { status: skip() };
    }
    const { claims, missing } = claimsOf(pod, find);
    if (missing !== undefined) return { status: unresolvable(missing) };
    const toAllocate: { claim: ResourceClaim; requests: readonly RequestToMeet[] }[] = [];
    for (const claim of claims) {
      const allocation = claim.status?.allocation ?? inFlight.get(claim.metadata.uid ?? '')?.allocation;
      if (allocation !== undefined && claim.status?.allocation === undefined) return { status: unresolvable(`resource claim ${claim.metadata.name} is in the process of being allocated`) };
      if (allocation !== undefined) {
        if (!isReservedFor(claim, pod.uid) && (claim.status?.reservedFor?.length ?? 0) >= MAX_RESERVED) return { status: unresolvable('resourceclaim in use') };
        continue;
      }
      const requests = requestsOf(claim, classes);
      if (typeof requests === 'string') return { status: unresolvable(requests) };
      toAllocate.push({ claim, requests });
    }
    state.set(NAME, { claims, toAllocate, usage: usageOf(allClaims()), found: new Map(), unavailable: new Set(), extended, leftover: extended.length === 0 ? undefined : claimLeftFor(pod.pod, allClaims()), created: undefined } satisfies State);
    return undefined;
  };

  /** What a node that lacks some of the resources needs a claim for. */
  const nodeClaim = (data: State, pod: PodInfo, node: NodeInfo): NodeClaim | undefined => {
    const lacking = data.extended.filter((name) => node.table.scalar(name).allocatable[node.slot] === 0);
    if (lacking.length === 0) return undefined;
    const all = listClasses();
    const { requests, mappings } = extendedRequests(pod.pod, lacking, (resource) => deviceClassOf(resource, all)?.metadata.name ?? '');
    return { claim: extendedClaim(pod.pod, requests), mappings };
  };

  const filter = (state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined => {
    const data = state.get<State>(NAME)!;
    for (const claim of data.claims) {
      const selector = claim.status?.allocation?.nodeSelector;
      if (selector === undefined || nodeSelectorMatcher(selector)(node)) continue;
      data.unavailable.add(claim);
      return NOT_ON_NODE;
    }
    if (data.leftover !== undefined) return LEFTOVER;
    const extended = nodeClaim(data, pod, node);
    const wanted: { claim: ResourceClaim; requests: readonly RequestToMeet[] }[] = [...data.toAllocate];
    if (extended !== undefined) {
      const requests = requestsOf(extended.claim, classes);
      if (typeof requests === 'string') return unresolvable(requests);
      wanted.push({ claim: extended.claim, requests });
    }
    if (wanted.length === 0) return undefined;
    try {
      const pools = poolsOf(listers.list('resource.k8s.io/v1/resourceslices'), node);
      const results = allocate(wanted, { pools, usage: data.usage, classes, now: formatTime(handle.clock.now()), shareId: () => handle.random.uid() });
      if (results === undefined) return CANNOT_ALLOCATE;
      data.found.set(node.name, { results, extended });
      return undefined;
    } catch (error) {
      return unresolvable(`claim ${wanted[0]!.claim.metadata.name ?? wanted[0]!.claim.metadata.generateName}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  /** A claim that was allocated where the pod cannot go, and that nobody uses, is set free. */
  const deallocate = async (claim: ResourceClaim): Promise<void> => {
    await client.resource('resource.k8s.io/v1/resourceclaims').updateStatus({ ...claim, status: { ...claim.status, reservedFor: undefined, allocation: undefined } });
  };

  const bindClaim = async (pod: PodInfo, claim: ResourceClaim, allocation: AllocationResult | undefined, signal: AbortSignal): Promise<void> => {
    const resource = client.resource('resource.k8s.io/v1/resourceclaims');
    const reference = { namespace: claim.metadata.namespace, name: claim.metadata.name ?? '' };
    let current = claim;
    await retryOnConflict(handle, async () => {
      current = await resource.get(reference, { signal });
      if (current.metadata.deletionTimestamp !== undefined) throw new Error(`claim ${current.metadata.name} got deleted in the meantime`);
      if (allocation !== undefined && !current.metadata.finalizers?.includes(FINALIZER)) {
        current = await resource.update({ ...current, metadata: { ...current.metadata, finalizers: [...(current.metadata.finalizers ?? []), FINALIZER] } }, { signal });
      }
      const reserved = current.status?.reservedFor ?? [];
      const consumer = { resource: 'pods', name: pod.name, uid: pod.uid };
      const reservedFor = isReservedFor(current, pod.uid) ? reserved : [...reserved, consumer];
      if (allocation !== undefined && current.status?.allocation !== undefined) throw new Error(`claim ${current.metadata.name} got allocated elsewhere in the meantime`);
      await resource.updateStatus({ ...current, status: { ...current.status, ...(allocation ? { allocation } : {}), reservedFor } }, { signal });
    });
  };

  /** Makes the claim for extended resources, and tells the kubelet which container gets what of it. */
  const bindExtended = async (data: State, pod: PodInfo, { results, extended }: NodeAllocation, signal: AbortSignal): Promise<void> => {
    const allocation = results.at(-1)!;
    const claim = await client.resource('resource.k8s.io/v1/resourceclaims').create(extended!.claim, { signal });
    data.created = claim;
    inFlight.set(claim.metadata.uid ?? '', { claim, allocation });
    inFlight.delete(extendedKey(pod));
    await bindClaim(pod, claim, allocation, signal);
    const { namespace, name } = pod;
    const status = { extendedResourceClaimStatus: { resourceClaimName: claim.metadata.name, requestMappings: extended!.mappings } };
    await client.resource('v1/pods').patch({ namespace, name }, { metadata: { uid: pod.uid }, status }, { type: 'strategic', subresource: 'status', signal });
    releaseWhenSeen(handle, inFlight, claim);
  };

  const removeClaim = async (claim: ResourceClaim, signal: AbortSignal): Promise<void> => {
    const resource = client.resource('resource.k8s.io/v1/resourceclaims');
    const reference = { namespace: claim.metadata.namespace, name: claim.metadata.name ?? '' };
    try {
      await retryOnConflict(handle, async () => {
        const current = await resource.get(reference, { signal });
        const finalizers = current.metadata.finalizers?.filter((f) => f !== FINALIZER);
        if (finalizers?.length !== current.metadata.finalizers?.length) await resource.update({ ...current, metadata: { ...current.metadata, finalizers } }, { signal });
      });
      await resource.delete(reference, { preconditions: { uid: claim.metadata.uid }, signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  return {
    name: NAME,
    signature: (pod) => ((pod.pod.spec?.resourceClaims?.length ?? 0) === 0 && extendedOf(pod).length === 0 ? '' : undefined),
    preEnqueue(pod) {
      if ((pod.pod.spec?.resourceClaims?.length ?? 0) === 0) return undefined;
      const { missing } = claimsOf(pod, find);
      return missing === undefined ? undefined : unresolvable(missing);
    },
    preFilter,
    filter,
    postFilter(state) {
      const data = state.get<State>(NAME);
      if (data === undefined) return { status: new Status('Error', ['not found']) };
      if (data.leftover !== undefined) {
        return removeClaim(data.leftover, handle.signal).then(
          () => ({ status: unschedulable('deletion of ResourceClaim completed') }),
          (error: unknown) => ({ status: errorStatus(error) }),
        );
      }
      if (data.claims.length === 0) return { status: unschedulable('no new claims to deallocate') };
      for (const claim of data.unavailable) {
        if ((claim.status?.reservedFor?.length ?? 0) > 0) continue;
        return deallocate(claim).then(
          () => ({ status: unschedulable('deallocation of ResourceClaim completed') }),
          (error: unknown) => ({ status: errorStatus(error) }),
        );
      }
      return { status: unschedulable('still not schedulable') };
    },
    score(state, _pod, node) {
      const data = state.get<State>(NAME);
      const found = data?.found.get(node.name);
      return data === undefined || found === undefined ? 0 : preferenceScore(data.toAllocate.map(({ claim }) => claim), found.results);
    },
    preScore: (state) => ((state.get<State>(NAME)?.toAllocate.length ?? 0) === 0 ? skip() : undefined),
    normalizeScores: (_state, _pod, { count }, scores) => normalizeByMaximum(scores, count, false),
    reserve(state, pod, nodeName) {
      const data = state.get<State>(NAME);
      const found = data?.found.get(nodeName);
      if (data === undefined || (data.toAllocate.length === 0 && found === undefined)) return undefined;
      if (found === undefined) return new Status('Error', [`no allocation for node ${nodeName}`]);
      data.toAllocate.forEach(({ claim }, i) => inFlight.set(claim.metadata.uid ?? '', { claim, allocation: found.results[i]! }));
      if (found.extended !== undefined) inFlight.set(extendedKey(pod), { claim: found.extended.claim, allocation: found.results.at(-1)! });
      return undefined;
    },
    unreserve(state, pod) {
      const data = state.get<State>(NAME);
      if (data === undefined) return;
      inFlight.delete(extendedKey(pod));
      const { created } = data;
      if (created !== undefined) {
        inFlight.delete(created.metadata.uid ?? '');
        handle.background(async (signal) => {
          await removeClaim(created, signal).catch((error: unknown) => {
            if (!signal.aborted) handle.logger.error(error, 'delete', { resourceclaim: created.metadata.name });
          });
        });
      }
      for (const { claim } of data.toAllocate) inFlight.delete(claim.metadata.uid ?? '');
      for (const claim of data.claims) {
        const reference = { namespace: claim.metadata.namespace, name: claim.metadata.name ?? '' };
        const current = find(`${reference.namespace}/${reference.name}`);
        if (current === undefined || !isReservedFor(current, pod.uid)) continue;
        const patch = { metadata: { uid: claim.metadata.uid }, status: { reservedFor: [{ $patch: 'delete', uid: pod.uid }] } };
        handle.background(async (signal) => {
          await client
            .resource('resource.k8s.io/v1/resourceclaims')
            .patch(reference, patch, { type: 'strategic', subresource: 'status', signal })
            .catch((error: unknown) => {
              if (!signal.aborted && !isNotFound(error)) handle.logger.error(error, 'unreserve', { resourceclaim: reference.name });
            });
        });
      }
    },
    preBindNeeded(state, _pod, nodeName) {
      const data = state.get<State>(NAME);
      return data !== undefined && (data.claims.length > 0 || data.found.get(nodeName)?.extended !== undefined);
    },
    async preBind(state, pod, nodeName, signal) {
      const data = state.get<State>(NAME)!;
      for (const claim of data.claims) {
        const uid = claim.metadata.uid ?? '';
        if (isReservedFor(claim, pod.uid)) continue;
        await bindClaim(pod, claim, inFlight.get(uid)?.allocation, signal);
      }
      const found = data.found.get(nodeName);
      if (found?.extended !== undefined) await bindExtended(data, pod, found, signal);
      for (const { claim } of data.toAllocate) releaseWhenSeen(handle, inFlight, claim);
      return undefined;
    },
    eventsToRegister: () => [
      { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel | Action.UpdateNodeTaint },
      { resource: 'ResourceClaim', action: Action.Add | Action.Delete | ANY_UPDATE, hint: (pod, before, after) => claimHelps(pod, before as ResourceClaim | undefined, after as ResourceClaim | undefined) },
      { resource: 'UnscheduledPod', action: Action.UpdatePodGeneratedResourceClaim, hint: (pod, _before, after) => (after as Pod).metadata.uid === pod.uid },
      { resource: 'DeviceClass', action: Action.Add | ANY_UPDATE },
      { resource: 'ResourceSlice', action: Action.Add | ANY_UPDATE },
    ],
  };
}

const NO_CLAIMS: State = { claims: [], toAllocate: [], usage: usageOf([]), found: new Map(), unavailable: new Set(), extended: [], leftover: undefined, created: undefined };

/** Under which a claim is kept that has no uid yet. */
const extendedKey = (pod: PodInfo): string => `extended resources of ${pod.uid}`;

/** Our own note of an allocation is needed until the informer shows it. */
function releaseWhenSeen(handle: Handle, inFlight: Map<string, unknown>, claim: ResourceClaim): void {
  const uid = claim.metadata.uid ?? '';
  const key = `${claim.metadata.namespace}/${claim.metadata.name}`;
  const informer = handle.listers.informer('resource.k8s.io/v1/resourceclaims');
  if (informer.get(key)?.status?.allocation !== undefined) {
    inFlight.delete(uid);
    return;
  }
  const seen = (object: ResourceClaim): void => {
    if (object.metadata.uid !== uid || (object.status?.allocation === undefined && informer.get(key) !== undefined)) return;
    inFlight.delete(uid);
    stop();
  };
  const stop = informer.addHandler({ onUpdate: (_before, after) => seen(after), onDelete: seen });
}

/** A claim that was set free, or one of the pod's own that changed. */
function claimHelps(pod: PodInfo, before: ResourceClaim | undefined, after: ResourceClaim | undefined): boolean {
  const freed = before?.status?.allocation !== undefined && after?.status?.allocation === undefined;
  if (freed) return true;
  const claim = after ?? before;
  if (claim?.metadata.namespace !== pod.namespace) return false;
  const names = [...(pod.pod.spec?.resourceClaims ?? []).map((c) => c.resourceClaimName), ...(pod.pod.status?.resourceClaimStatuses ?? []).map((s) => s.resourceClaimName)];
  return names.includes(claim.metadata.name);
}
