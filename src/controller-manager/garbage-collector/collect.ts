/**
 * Decides about one object: it stays while it has an owner, loses references to owners that are gone, or is deleted
 * after its last owner.
 */
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import type { ApiObject } from '../../client/index.ts';
import { hasFinalizer } from '../../component-helpers/index.ts';
import {
  blockingDependents,
  FOREGROUND_FINALIZER,
  ORPHAN_FINALIZER,
  type GraphNode,
  type OwnershipGraph,
} from './graph.ts';
import type { ObjectClient } from './object-client.ts';
import { referencedIdentity } from './object-identity.ts';

export interface Collector {
  readonly graph: OwnershipGraph;
  readonly objects: ObjectClient;
  /** The owner cannot exist: a cluster-scoped object may not depend on a namespaced one. */
  ownerInOtherNamespace(dependent: GraphNode, reference: OwnerReference): void;
  attemptToDelete(node: GraphNode): void;
}

interface ClassifiedOwners {
  readonly solid: readonly OwnerReference[];
  readonly dangling: readonly OwnerReference[];
  /** Owners in foreground deletion. */
  readonly waitingForDependents: readonly OwnerReference[];
  /** An owner has the wrong scope, so the object must stay as it is. */
  readonly hasInvalidScope: boolean;
}

/** Upstream's attemptToDeleteItem. */
export async function collectNode(collector: Collector, node: GraphNode): Promise<void> {
  const { graph, objects } = collector;
  if (node.beingDeleted && !node.deletingDependents) return;
  const { identity } = node;
  const latest = await objects.get(identity);
  if (!latest) return graph.deleteVirtual(node, identity);
  if (node.deletingDependents) return deleteBlockingDependents(collector, node);
  const owners = latest.metadata.ownerReferences ?? [];
  if (owners.length === 0) return;
  const { solid, dangling, waitingForDependents, hasInvalidScope } = await classifyOwners(collector, node, owners);
  if (hasInvalidScope) return;
  if (solid.length > 0) {
    const dead = new Set([...dangling, ...waitingForDependents].map(({ uid }) => uid));
    if (dead.size > 0) await objects.changeOwners(identity, (current) => current.filter(({ uid }) => !dead.has(uid)));
    return;
  }
  if (waitingForDependents.length > 0 && node.dependents.size > 0) {
    if ([...node.dependents].some((dependent) => dependent.deletingDependents)) {
      // Objects that wait for each other in a circle: without blockOwnerDeletion the first of them can be deleted.
      await objects.changeOwners(identity, (current) =>
        current.some((o) => o.blockOwnerDeletion) ? current.map((o) => ({ ...o, blockOwnerDeletion: false })) : current,
      );
    }
    const current = (await objects.get(identity)) ?? latest;
    return objects.delete(identity, current, 'Foreground');
  }
  await objects.delete(identity, latest, policyOf(latest));
}

export async function orphanDependents({ objects }: Pick<Collector, 'objects'>, node: GraphNode): Promise<void> {
  const { uid } = node.identity;
  await Promise.all(
    [...node.dependents].map((dependent) =>
      objects.changeOwners(dependent.identity, (owners) => owners.filter((owner) => owner.uid !== uid)),
    ),
  );
  await objects.removeFinalizer(node.identity, ORPHAN_FINALIZER);
}

async function deleteBlockingDependents(collector: Collector, node: GraphNode): Promise<void> {
  const blocking = blockingDependents(node);
  if (blocking.length === 0) return collector.objects.removeFinalizer(node.identity, FOREGROUND_FINALIZER);
  for (const dependent of blocking) if (!dependent.deletingDependents) collector.attemptToDelete(dependent);
}

async function classifyOwners(
  collector: Collector,
  node: GraphNode,
  owners: readonly OwnerReference[],
): Promise<ClassifiedOwners> {
  const solid: OwnerReference[] = [];
  const dangling: OwnerReference[] = [];
  const waitingForDependents: OwnerReference[] = [];
  for (const reference of owners) {
    const owner = await findOwner(collector, node, reference);
    if (owner === 'invalid scope') return { solid, dangling, waitingForDependents, hasInvalidScope: true };
    if (owner === undefined) dangling.push(reference);
    else if (owner.metadata.deletionTimestamp !== undefined && hasFinalizer(owner, FOREGROUND_FINALIZER))
      waitingForDependents.push(reference);
    else solid.push(reference);
  }
  return { solid, dangling, waitingForDependents, hasInvalidScope: false };
}

async function findOwner(
  collector: Collector,
  node: GraphNode,
  reference: OwnerReference,
): Promise<ApiObject | 'invalid scope' | undefined> {
  const { namespace } = node.identity;
  const { objects } = collector;
  const { absentOwners } = collector.graph;
  if (absentOwners.has(referencedIdentity(reference, namespace)) || absentOwners.has(referencedIdentity(reference, '')))
    return undefined;
  const resource = objects.resourceOf(reference);
  if (resource.namespaced && namespace === '') {
    collector.ownerInOtherNamespace(node, reference);
    return 'invalid scope';
  }
  const identity = referencedIdentity(reference, resource.namespaced ? namespace : '');
  const owner = await objects.get(identity);
  if (!owner) absentOwners.add(identity);
  return owner;
}

function policyOf(object: ApiObject): 'Background' | 'Foreground' | 'Orphan' {
  if (hasFinalizer(object, ORPHAN_FINALIZER)) return 'Orphan';
  return hasFinalizer(object, FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}
