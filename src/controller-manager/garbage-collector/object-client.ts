/** The garbage collector's requests: metadata only, and always with the uid as a precondition. */
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
import { ignoreNotFound } from '../ignore-not-found.ts';
import type { ObjectIdentity } from './object-identity.ts';

const CONFLICT_RETRIES = 5;

/** The server does not serve this kind, so the collector cannot tell whether the object exists. */
export class UnknownKind extends Error {
  readonly code = 'unknown-kind';

  constructor(identity: Pick<ObjectIdentity, 'apiVersion' | 'kind'>) {
    super(`no matches for kind "${identity.kind}" in version "${identity.apiVersion}"`);
    this.name = 'UnknownKind';
  }
}

export class ObjectClient {
  readonly #client: Client;
  readonly #discovered: DiscoveredResources;
  readonly #signal: AbortSignal;

  constructor(client: Client, discovered: DiscoveredResources, signal: AbortSignal) {
    this.#client = client;
    this.#discovered = discovered;
    this.#signal = signal;
  }

  resourceOf(identity: Pick<ObjectIdentity, 'apiVersion' | 'kind'>): DiscoveredResource {
    const resource = this.#discovered.findKind(identity.apiVersion, identity.kind);
    if (!resource) throw new UnknownKind(identity);
    return resource;
  }

  /** The live object; undefined when there is none of that name, or its uid differs. */
  async get(identity: ObjectIdentity): Promise<ApiObject | undefined> {
    const resource = this.resourceOf(identity);
    const object = await ignoreNotFound(() =>
      this.#client.metadata(resource).get(referenceTo(resource, identity), { signal: this.#signal }),
    );
    return object?.metadata.uid === identity.uid ? object : undefined;
  }

  /** Deletes the object, unless it has changed since `seen`. */
  async delete(
    identity: ObjectIdentity,
    seen: ApiObject,
    propagationPolicy: 'Background' | 'Foreground' | 'Orphan',
  ): Promise<void> {
    const resource = this.resourceOf(identity);
    const preconditions = { uid: identity.uid, resourceVersion: seen.metadata.resourceVersion };
    await ignoreNotFound(() =>
      this.#client
        .metadata(resource)
        .delete(referenceTo(resource, identity), { preconditions, propagationPolicy, signal: this.#signal }),
    );
  }

  /** Changes the owner references of an object. Nothing is sent when `change` returns the same references. */
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
      const rest = finalizers.filter((f) => f !== finalizer);
      return rest.length === finalizers.length ? undefined : { finalizers: rest.length > 0 ? rest : null };
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
        await this.#client
          .metadata(resource)
          .patch(
            referenceTo(resource, identity),
            { metadata: { resourceVersion: object.metadata.resourceVersion, ...metadata } },
            { type: 'merge', signal: this.#signal },
          );
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || attempt >= CONFLICT_RETRIES) throw error;
      }
    }
  }
}

function referenceTo(resource: DiscoveredResource, { namespace, name }: ObjectIdentity): ObjectReference {
  return resource.namespaced ? { namespace, name } : { name };
}
