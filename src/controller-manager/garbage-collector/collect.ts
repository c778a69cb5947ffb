/** What becomes of one object: it stays, loses the references to owners that are gone, or goes after its last owner. */
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import type { ApiObject } from '../../client/index.ts';
import {
  blockingDependents,
  FOREGROUND_FINALIZER,
  hasFinalizer,
  ORPHAN_FINALIZER,
  referencedIdentity,
  type GraphNode,
  type OwnershipGraph,
} from './graph.ts';
import type { CollectedObjects } from './objects.ts';

export interface Collector {
  readonly graph: OwnershipGraph;
  readonly objects: CollectedObjects;
  /** An owner that cannot be one, because a cluster-scoped object may not depend on a namespaced one. */
  ownerInOtherNamespace(dependent: GraphNode, reference: OwnerReference): void;
  attemptToDelete(node: GraphNode): void;
}

interface ClassifiedOwners {
  readonly solid: readonly OwnerReference[];
  readonly dangling: readonly OwnerReference[];
  /** Owners that wait for their dependents to go before they go themselves. */
  readonly waiting: readonly OwnerReference[];
  /** An owner whose scope makes it impossible: nothing can be concluded from it. */
  readonly impossible: boolean;
}

export async function collectNode(collector: Collector, node: GraphNode): Promise<void> {
  const { graph, objects } = collector;
  if (node.beingDeleted && !node.deletingDependents) return;
  const { identity } = node;
  const latest = await objects.get(identity);
  if (!latest) return graph.deleteVirtual(node, identity);
  if (node.deletingDependents) return waitForDependents(collector, node);
  const owners = latest.metadata.ownerReferences ?? [];
  if (owners.length === 0) return;
  const { solid, dangling, waiting, impossible } = await classify(collector, node, owners);
  if (impossible) return;
  if (solid.length > 0) {
    const dead = new Set([...dangling, ...waiting].map(({ uid }) => uid));
    if (dead.size > 0) await objects.changeOwners(identity, (current) => current.filter(({ uid }) => !dead.has(uid)));
    return;
  }
  if (waiting.length > 0 && node.dependents.size > 0) {
    if ([...node.dependents].some((dependent) => dependent.deletingDependents)) {
      /** A circle in which each waits for the other: it opens where nobody blocks any more. */
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

async function waitForDependents(collector: Collector, node: GraphNode): Promise<void> {
  const blocking = blockingDependents(node);
  if (blocking.length === 0) return collector.objects.removeFinalizer(node.identity, FOREGROUND_FINALIZER);
  for (const dependent of blocking) if (!dependent.deletingDependents) collector.attemptToDelete(dependent);
}

async function classify(
  collector: Collector,
  node: GraphNode,
  owners: readonly OwnerReference[],
): Promise<ClassifiedOwners> {
  const solid: OwnerReference[] = [];
  const dangling: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  for (const reference of owners) {
    const owner = await findOwner(collector, node, reference);
    if (owner === 'impossible') return { solid, dangling, waiting, impossible: true };
    if (owner === undefined) dangling.push(reference);
    else if (owner.metadata.deletionTimestamp !== undefined && hasFinalizer(owner, FOREGROUND_FINALIZER))
      waiting.push(reference);
    else solid.push(reference);
  }
  return { solid, dangling, waiting, impossible: false };
}

async function findOwner(
  { graph, objects, ...collector }: Collector,
  node: GraphNode,
  reference: OwnerReference,
): Promise<ApiObject | 'impossible' | undefined> {
  const { namespace } = node.identity;
  const { absentOwners } = graph;
  if (absentOwners.has(referencedIdentity(reference, namespace)) || absentOwners.has(referencedIdentity(reference, '')))
    return undefined;
  const resource = objects.resourceOf(reference);
  if (resource.namespaced && namespace === '') {
    collector.ownerInOtherNamespace(node, reference);
    return 'impossible';
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
