/** What the collector asks of the server and does to objects: always by metadata, always checked against the uid. */
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import {
  isConflict,
  isNotFound,
  type ApiObject,
  type Client,
  type DiscoveredResource,
  type ObjectReference,
} from '../../client/index.ts';
import type { DiscoveredResources } from '../discovered-resources.ts';
import type { ObjectIdentity } from './graph.ts';

const CONFLICT_RETRIES = 5;

/** A kind that the server does not have: what there is of it is unknown. */
export class UnknownKind extends Error {
  readonly code = 'unknown-kind';

  constructor(identity: Pick<ObjectIdentity, 'apiVersion' | 'kind'>) {
    super(`no matches for kind "${identity.kind}" in version "${identity.apiVersion}"`);
    this.name = 'UnknownKind';
  }
}

export class CollectedObjects {
  constructor(
    private readonly client: Client,
    private readonly discovered: DiscoveredResources,
    private readonly signal: AbortSignal,
  ) {}

  resourceOf(identity: Pick<ObjectIdentity, 'apiVersion' | 'kind'>): DiscoveredResource {
    const resource = this.discovered.findKind(identity.apiVersion, identity.kind);
    if (!resource) throw new UnknownKind(identity);
    return resource;
  }

  /** As it is now; undefined when there is none of that name or it is another one. */
  async get(identity: ObjectIdentity): Promise<ApiObject | undefined> {
    const resource = this.resourceOf(identity);
    try {
      const object = await this.client.metadata(resource).get(placeOf(resource, identity), { signal: this.signal });
      return object.metadata.uid === identity.uid ? object : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Deletes the object if it is still as it was when that was decided. */
  async delete(
    identity: ObjectIdentity,
    seen: ApiObject,
    propagationPolicy: 'Background' | 'Foreground' | 'Orphan',
  ): Promise<void> {
    const resource = this.resourceOf(identity);
    const preconditions = { uid: identity.uid, resourceVersion: seen.metadata.resourceVersion };
    try {
      await this.client
        .metadata(resource)
        .delete(placeOf(resource, identity), { preconditions, propagationPolicy, signal: this.signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Rewrites the owner references of an object; a rewrite that changes nothing is not sent. */
  async changeOwners(
    identity: ObjectIdentity,
    change: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
  ): Promise<void> {
    await this.#change(identity, ({ metadata: { ownerReferences = [] } }) => {
      const changed = change(ownerReferences);
      const same =
        changed.length === ownerReferences.length && changed.every((owner, i) => owner === ownerReferences[i]);
      return same ? undefined : { ownerReferences: changed.length > 0 ? changed : null };
    });
  }

  async removeFinalizer(identity: ObjectIdentity, finalizer: string): Promise<void> {
    await this.#change(identity, ({ metadata: { finalizers = [] } }) => {
      const kept = finalizers.filter((f) => f !== finalizer);
      return kept.length === finalizers.length ? undefined : { finalizers: kept.length > 0 ? kept : null };
    });
  }

  async #change(
    identity: ObjectIdentity,
    change: (object: ApiObject) => Record<string, unknown> | undefined,
  ): Promise<void> {
    const resource = this.resourceOf(identity);
    for (let attempt = 1; ; attempt++) {
      const object = await this.get(identity);
      const metadata = object && change(object);
      if (!metadata) return;
      try {
        await this.client
          .metadata(resource)
          .patch(
            placeOf(resource, identity),
            { metadata: { resourceVersion: object.metadata.resourceVersion, ...metadata } },
            { type: 'merge', signal: this.signal },
          );
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || attempt >= CONFLICT_RETRIES) throw error;
      }
    }
  }
}

function placeOf(resource: DiscoveredResource, { namespace, name }: ObjectIdentity): ObjectReference {
  return resource.namespaced ? { namespace, name } : { name };
}
