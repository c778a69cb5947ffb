/** Reconciles one pod or one ResourceClaim: creates claims from templates, and releases claims of finished pods. */
import type { Pod, PodResourceClaim, PodResourceClaimStatus } from '../../api/generated/core-v1.ts';
import type { ResourceClaim, ResourceClaimTemplate } from '../../api/generated/resource-v1.ts';
import { errorMessage } from '../../base/index.ts';
import {
  CONTROLLER_UID_INDEX,
  isNamespaceTerminating,
  isNotFound,
  splitKey,
  type ResourceClient,
  type SharedInformer,
} from '../../client/index.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import type { ControllerContext, Reconciler } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';

export const POD_CLAIM_NAME = 'resource.kubernetes.io/pod-claim-name';
const FINALIZER = 'resource.kubernetes.io/delete-protection';

/** Keys of pods and of claims share one queue. */
export const POD_KEY = 'pod:';
export const CLAIM_KEY = 'claim:';

export interface ResourceClaimParts {
  readonly pods: SharedInformer<Pod>;
  readonly claims: SharedInformer<ResourceClaim>;
  readonly templates: SharedInformer<ResourceClaimTemplate>;
  /** Created claims that the informer does not show yet, by pod uid and entry, so that none is created twice. */
  readonly created: Map<string, ResourceClaim>;
}

export class ResourceClaimReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: ResourceClaimParts;
  readonly #resource: ResourceClient<ResourceClaim>;

  constructor(context: ControllerContext, parts: ResourceClaimParts) {
    this.#context = context;
    this.#parts = parts;
    this.#resource = context.client.resource('resource.k8s.io/v1/resourceclaims');
  }

  reconcile(key: string): Promise<void> {
    return key.startsWith(POD_KEY)
      ? this.#reconcilePod(key.slice(POD_KEY.length))
      : this.#reconcileClaim(key.slice(CLAIM_KEY.length));
  }

  async #reconcilePod(key: string): Promise<void> {
    const pod = this.#parts.pods.get(key);
    if (!pod || pod.metadata.deletionTimestamp || isDone(pod)) return;
    const statuses: PodResourceClaimStatus[] = [];
    for (const wanted of pod.spec?.resourceClaims ?? []) {
      if (!wanted.resourceClaimTemplateName) continue;
      const name = await this.#claimFor(pod, wanted);
      if (name === undefined) return;
      statuses.push({ name: wanted.name, resourceClaimName: name });
    }
    await this.#updatePodStatus(pod, statuses);
    await this.#reserveForScheduled(pod, statuses);
  }

  async #claimFor(pod: Pod, wanted: PodResourceClaim): Promise<string | undefined> {
    const uid = pod.metadata.uid ?? '';
    const existing = this.#parts.claims.indexer
      .byIndex(CONTROLLER_UID_INDEX, uid)
      .find((claim) => claim.metadata.annotations?.[POD_CLAIM_NAME] === wanted.name);
    const known = existing ?? this.#parts.created.get(`${uid}/${wanted.name}`);
    if (known) return known.metadata.name;
    const { namespace = '', name = '' } = pod.metadata;
    const template = this.#parts.templates.get(`${namespace}/${wanted.resourceClaimTemplateName}`);
    if (!template) {
      const why = `resourceclaimtemplate.resource.k8s.io "${wanted.resourceClaimTemplateName}" not found`;
      const message = `PodResourceClaim ${wanted.name}: resource claim template "${wanted.resourceClaimTemplateName}": ${why}`;
      this.#context.recorder.event(pod, 'Warning', 'FailedResourceClaimCreation', message);
      return undefined;
    }
    const { labels, annotations } = template.spec.metadata ?? {};
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }];
    try {
      const claim = await this.#resource.create(
        {
          metadata: {
            generateName: `${name}-${wanted.name}-`,
            namespace,
            labels,
            annotations: { ...annotations, [POD_CLAIM_NAME]: wanted.name },
            ownerReferences,
          },
          spec: template.spec.spec,
        },
        { signal: this.#context.signal },
      );
      this.#parts.created.set(`${uid}/${wanted.name}`, claim);
      return claim.metadata.name;
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      this.#context.recorder.event(
        pod,
        'Warning',
        'FailedResourceClaimCreation',
        `PodResourceClaim ${wanted.name}: ${errorMessage(error)}`,
      );
      throw error;
    }
  }

  async #updatePodStatus(pod: Pod, statuses: readonly PodResourceClaimStatus[]): Promise<void> {
    const missing = statuses.filter(
      (status) =>
        !pod.status?.resourceClaimStatuses?.some(
          (known) => known.name === status.name && known.resourceClaimName === status.resourceClaimName,
        ),
    );
    if (missing.length === 0) return;
    const place = { namespace: pod.metadata.namespace, name: pod.metadata.name ?? '' };
    await ignoreNotFound(() =>
      this.#context.client
        .resource('v1/pods')
        .patch(
          place,
          { metadata: { uid: pod.metadata.uid }, status: { resourceClaimStatuses: missing } },
          { type: 'strategic', subresource: 'status', signal: this.#context.signal },
        ),
    );
  }

  /** Reserves the claims of pods that were assigned without the scheduler. */
  async #reserveForScheduled(pod: Pod, statuses: readonly PodResourceClaimStatus[]): Promise<void> {
    if (!pod.spec?.nodeName) return;
    for (const wanted of pod.spec.resourceClaims ?? []) {
      const name =
        wanted.resourceClaimName ?? statuses.find((status) => status.name === wanted.name)?.resourceClaimName;
      const claim = this.#parts.claims.get(`${pod.metadata.namespace ?? ''}/${name ?? ''}`);
      if (!claim?.status?.allocation || claim.status.reservedFor?.some(({ uid }) => uid === pod.metadata.uid)) continue;
      const reservedFor = [
        ...(claim.status.reservedFor ?? []),
        { resource: 'pods', name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' },
      ];
      await ignoreNotFound(() =>
        this.#resource.updateStatus(
          { ...claim, status: { ...claim.status, reservedFor } },
          { signal: this.#context.signal },
        ),
      );
    }
  }

  async #reconcileClaim(key: string): Promise<void> {
    const claim = this.#parts.claims.get(key);
    if (!claim) return;
    const released = await this.#release(claim);
    // The scheduler adds the finalizer before the allocation, so only deallocated or deleted claims lose it.
    if (released !== claim || claim.metadata.deletionTimestamp) await this.#removeFinalizer(released);
    const owner = (claim.metadata.ownerReferences ?? []).find(
      (reference) => reference.controller && reference.kind === 'Pod',
    );
    const pod = owner && this.#parts.pods.get(`${claim.metadata.namespace ?? ''}/${owner.name}`);
    if (!pod || pod.metadata.uid !== owner.uid || !isDone(pod) || claim.metadata.deletionTimestamp) return;
    await ignoreNotFound(() =>
      this.#resource.delete(splitKey(key), {
        preconditions: { uid: claim.metadata.uid },
        signal: this.#context.signal,
      }),
    );
  }

  /** Removes the reservations of finished pods; a claim without reservations is deallocated. */
  async #release(claim: ResourceClaim): Promise<ResourceClaim> {
    const { reservedFor = [], allocation } = claim.status ?? {};
    const remaining: typeof reservedFor = [];
    for (const consumer of reservedFor)
      if (consumer.resource !== 'pods' || (consumer.apiGroup ?? '') !== '' || (await this.#isRunning(claim, consumer)))
        remaining.push(consumer);
    if (
      remaining.length === reservedFor.length &&
      !(allocation && remaining.length === 0 && claim.metadata.deletionTimestamp)
    )
      return claim;
    const { allocation: _, devices: __, ...status } = claim.status ?? {};
    const free = remaining.length === 0;
    const next = { ...claim, status: { ...(free ? status : claim.status), reservedFor: free ? undefined : remaining } };
    try {
      return await this.#resource.updateStatus(next, { signal: this.#context.signal });
    } catch (error) {
      if (isNotFound(error)) return claim;
      throw error;
    }
  }

  async #isRunning(claim: ResourceClaim, consumer: { name: string; uid: string }): Promise<boolean> {
    const place = { namespace: claim.metadata.namespace, name: consumer.name };
    const known = this.#parts.pods.get(`${place.namespace ?? ''}/${place.name}`);
    if (known?.metadata.uid === consumer.uid) return !isDone(known);
    try {
      const live = await this.#context.client.resource('v1/pods').get(place, { signal: this.#context.signal });
      return live.metadata.uid === consumer.uid && !isDone(live);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #removeFinalizer(claim: ResourceClaim): Promise<void> {
    const { finalizers = [] } = claim.metadata;
    if (!finalizers.includes(FINALIZER) || claim.status?.allocation || (claim.status?.reservedFor ?? []).length > 0)
      return;
    await ignoreNotFound(() =>
      this.#resource.update(
        { ...claim, metadata: { ...claim.metadata, finalizers: finalizers.filter((f) => f !== FINALIZER) } },
        { signal: this.#context.signal },
      ),
    );
  }
}

/** The pod has finished, or was deleted before it was assigned to a node. */
const isDone = (pod: Pod): boolean =>
  isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName);
