/**
 * The garbage collector's graph of owners and dependents, built from informer events. Each object is a node, found by
 * uid. A node is virtual while only owner references name it: the collector asks the server whether it exists.
 */
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import type { ApiObject } from '../../client/index.ts';
import { hasFinalizer } from '../../component-helpers/index.ts';
import { AbsentOwnerCache } from './absent-owner-cache.ts';
import { groupOf, identityOf, referencedIdentity, sameCoordinates, type ObjectIdentity } from './object-identity.ts';

export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';

export interface GraphNode {
  identity: ObjectIdentity;
  owners: readonly OwnerReference[];
  readonly dependents: Set<GraphNode>;
  /** No event has shown the object yet. */
  virtual: boolean;
  beingDeleted: boolean;
  /** Foreground deletion: the object waits until its blocking dependents are gone. */
  deletingDependents: boolean;
}

export interface GraphListener {
  /** The object may have lost its owners. */
  attemptToDelete(node: GraphNode): void;
  /** The object is being deleted with propagation policy Orphan. */
  attemptToOrphan(node: GraphNode): void;
  /** The owner exists, but not in the namespace of the object that refers to it. */
  ownerInOtherNamespace(dependent: GraphNode, reference: OwnerReference): void;
}

export class OwnershipGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #listener: GraphListener;
  readonly absentOwners = new AbsentOwnerCache();

  constructor(listener: GraphListener) {
    this.#listener = listener;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** An object was added or updated; `before` is its state in the event before. */
  set(object: ApiObject, before: ApiObject | undefined): void {
    let node = this.#nodes.get(object.metadata.uid ?? '');
    if (node?.virtual) this.#markObserved(node, identityOf(object));
    if (node) this.#update(node, object);
    else {
      const identity = identityOf(object);
      const beingDeleted = object.metadata.deletionTimestamp !== undefined;
      node = {
        identity,
        owners: object.metadata.ownerReferences ?? NO_OWNERS,
        dependents: new Set(),
        virtual: false,
        beingDeleted,
        deletingDependents: beingDeleted && hasFinalizer(object, FOREGROUND_FINALIZER),
      };
      this.#nodes.set(identity.uid, node);
      this.#addToOwners(node, node.owners);
    }
    if (deletionStarts(before, object, ORPHAN_FINALIZER)) this.#listener.attemptToOrphan(node);
    else if (deletionStarts(before, object, FOREGROUND_FINALIZER)) {
      node.deletingDependents = true;
      for (const dependent of node.dependents) this.#listener.attemptToDelete(dependent);
      this.#listener.attemptToDelete(node);
    }
  }

  /** An object was deleted: its dependents may be collected, and owners that waited for it may be deleted. */
  delete(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node) this.#remove(node);
  }

  /**
   * The server has no object under these coordinates. When other dependents name the virtual node by other coordinates,
   * only the dependents that named these lose their owner.
   */
  deleteVirtual(node: GraphNode, absent: ObjectIdentity): void {
    if (this.#nodes.get(node.identity.uid) !== node) return;
    /** An event has shown the object meanwhile, and is right. */
    if (!node.virtual && !sameCoordinates(node.identity, absent)) return;
    const others = [...node.dependents].filter((dependent) => !refersTo(dependent, absent));
    const alternative = node.virtual ? coordinatesNamedBy(others[0], absent.uid) : undefined;
    if (!alternative) return this.#remove(node);
    this.absentOwners.add(absent);
    for (const dependent of node.dependents) if (refersTo(dependent, absent)) this.#listener.attemptToDelete(dependent);
    node.identity = alternative;
    this.#listener.attemptToDelete(node);
  }

  #remove(node: GraphNode): void {
    this.#nodes.delete(node.identity.uid);
    this.#removeFromOwners(node, node.owners);
    if (node.dependents.size > 0) this.absentOwners.add(node.identity);
    for (const dependent of node.dependents) this.#listener.attemptToDelete(dependent);
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid);
      if (owner?.deletingDependents) this.#listener.attemptToDelete(owner);
    }
  }

  /** An event shows a virtual node's object. Dependents that named it by other coordinates are checked again. */
  #markObserved(node: GraphNode, identity: ObjectIdentity): void {
    node.virtual = false;
    node.identity = identity;
    for (const dependent of node.dependents) {
      if (refersTo(dependent, identity)) continue;
      this.#reportOtherNamespace(dependent, node);
      this.#listener.attemptToDelete(dependent);
    }
  }

  #update(node: GraphNode, object: ApiObject): void {
    const owners = object.metadata.ownerReferences ?? NO_OWNERS;
    if (object.metadata.deletionTimestamp !== undefined) node.beingDeleted = true;
    if (sameOwners(node.owners, owners)) return;
    const added = owners.filter((owner) => !node.owners.some((old) => old.uid === owner.uid));
    const removed = node.owners.filter((old) => !owners.some((owner) => owner.uid === old.uid));
    const unblocked = node.owners.filter(
      (old) => old.blockOwnerDeletion && !owners.some((owner) => owner.uid === old.uid && owner.blockOwnerDeletion),
    );
    node.owners = owners;
    this.#addToOwners(node, added);
    this.#removeFromOwners(node, removed);
    for (const { uid } of unblocked) {
      const owner = this.#nodes.get(uid);
      if (owner) this.#listener.attemptToDelete(owner);
    }
  }

  #addToOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    let hasWrongCoordinates = false;
    for (const reference of owners) {
      const known = this.#nodes.get(reference.uid);
      if (!known) {
        const owner: GraphNode = {
          identity: referencedIdentity(reference, node.identity.namespace),
          owners: [],
          dependents: new Set([node]),
          virtual: true,
          beingDeleted: false,
          deletingDependents: false,
        };
        this.#nodes.set(reference.uid, owner);
        this.#listener.attemptToDelete(owner);
        continue;
      }
      known.dependents.add(node);
      if (refersTo(node, known.identity)) continue;
      hasWrongCoordinates = true;
      this.#reportOtherNamespace(node, known);
    }
    if (hasWrongCoordinates) this.#listener.attemptToDelete(node);
  }

  #removeFromOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) this.#nodes.get(uid)?.dependents.delete(node);
  }

  #reportOtherNamespace(dependent: GraphNode, owner: GraphNode): void {
    if (owner.virtual || owner.identity.namespace === '' || owner.identity.namespace === dependent.identity.namespace)
      return;
    const reference = dependent.owners.find(({ uid }) => uid === owner.identity.uid);
    if (reference) this.#listener.ownerInOtherNamespace(dependent, reference);
  }
}

const NO_OWNERS: readonly OwnerReference[] = [];

function sameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ uid, name, kind, apiVersion, blockOwnerDeletion }, i) => {
      const other = b[i]!;
      return (
        uid === other.uid &&
        name === other.name &&
        kind === other.kind &&
        apiVersion === other.apiVersion &&
        blockOwnerDeletion === other.blockOwnerDeletion
      );
    })
  );
}

/** Dependents that must be gone before foreground deletion removes the owner. */
export function blockingDependents(node: GraphNode): GraphNode[] {
  return [...node.dependents].filter((dependent) =>
    dependent.owners.some((owner) => owner.uid === node.identity.uid && owner.blockOwnerDeletion === true),
  );
}

function deletionStarts(before: ApiObject | undefined, now: ApiObject, finalizer: string): boolean {
  if (now.metadata.deletionTimestamp === undefined || !hasFinalizer(now, finalizer)) return false;
  return before === undefined || before.metadata.deletionTimestamp === undefined || !hasFinalizer(before, finalizer);
}

/** Whether the dependent's owner reference names these coordinates; versions of the kind do not matter. */
function refersTo(dependent: GraphNode, owner: ObjectIdentity): boolean {
  const reference = dependent.owners.find(({ uid }) => uid === owner.uid);
  if (
    !reference ||
    reference.name !== owner.name ||
    reference.kind !== owner.kind ||
    groupOf(reference.apiVersion) !== groupOf(owner.apiVersion)
  )
    return false;
  return owner.namespace === '' || owner.namespace === dependent.identity.namespace;
}

function coordinatesNamedBy(dependent: GraphNode | undefined, uid: string): ObjectIdentity | undefined {
  const reference = dependent?.owners.find((owner) => owner.uid === uid);
  return dependent && reference && referencedIdentity(reference, dependent.identity.namespace);
}
