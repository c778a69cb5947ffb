/**
 * resourceclaim-controller: makes the ResourceClaims that pods want from templates, takes reservations back from pods that
 * are gone or done, and with the last of them the devices.
 */
import type { Pod, PodResourceClaim, PodResourceClaimStatus } from '../../api/generated/core-v1.ts';
import type { ResourceClaim } from '../../api/generated/resource-v1.ts';
import { isTerminalPhase } from '../../component-helpers/index.ts';
import { byControllerUid, CONTROLLER_UID_INDEX, isNamespaceTerminating, isNotFound, keyOf, splitKey } from '../../client/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerDescriptor } from '../controller.ts';

const POD_CLAIM_NAME = 'resource.kubernetes.io/pod-claim-name';
const FINALIZER = 'resource.kubernetes.io/delete-protection';
const POD = 'pod:';
const CLAIM = 'claim:';

export const resourceClaimController: ControllerDescriptor = {
  name: 'resourceclaim-controller',
  aliases: ['resource-claim-controller'],
  eventSource: 'resource_claim',
  build(context) {
    const { client, informers, recorder, signal } = context;
    const pods = informers.informer('v1/pods');
    const claims = informers.informer('resource.k8s.io/v1/resourceclaims', {}, { [CONTROLLER_UID_INDEX]: byControllerUid });
    const templates = informers.informer('resource.k8s.io/v1/resourceclaimtemplates');
    const resource = client.resource('resource.k8s.io/v1/resourceclaims');
    /** Claims that were made and have not come back yet; a second one for the same entry would be one too many. */
    const made = new Map<string, ResourceClaim>();

    const reconcilePod = async (key: string): Promise<void> => {
      const pod = pods.get(key);
      if (!pod || pod.metadata.deletionTimestamp || isDone(pod)) return;
      const statuses: PodResourceClaimStatus[] = [];
      for (const wanted of pod.spec?.resourceClaims ?? []) {
        if (!wanted.resourceClaimTemplateName) continue;
        const name = await claimFor(pod, wanted);
        if (name === undefined) return;
        statuses.push({ name: wanted.name, resourceClaimName: name });
      }
      await tellPod(pod, statuses);
      await reserveForScheduled(pod, statuses);
    };

    const claimFor = async (pod: Pod, wanted: PodResourceClaim): Promise<string | undefined> => {
      const uid = pod.metadata.uid ?? '';
      const existing = claims.indexer.byIndex(CONTROLLER_UID_INDEX, uid).find((claim) => claim.metadata.annotations?.[POD_CLAIM_NAME] === wanted.name);
      const known = existing ?? made.get(`${uid}/${wanted.name}`);
      if (known) return known.metadata.name;
      const { namespace = '', name = '' } = pod.metadata;
      const template = templates.get(`${namespace}/${wanted.resourceClaimTemplateName}`);
      if (!template) {
        const why = `resourceclaimtemplate.resource.k8s.io "${wanted.resourceClaimTemplateName}" not found`;
        const message = `PodResourceClaim ${wanted.name}: resource claim template "${wanted.resourceClaimTemplateName}": ${why}`;
        recorder.event(pod, 'Warning', 'FailedResourceClaimCreation', message);
        return undefined;
      }
      const { labels, annotations } = template.spec.metadata ?? {};
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }];
      try {
        const claim = await resource.create(
          { metadata: { generateName: `${name}-${wanted.name}-`, namespace, labels, annotations: { ...annotations, [POD_CLAIM_NAME]: wanted.name }, ownerReferences }, spec: template.spec.spec },
          { signal },
        );
        made.set(`${uid}/${wanted.name}`, claim);
        return claim.metadata.name;
      } catch (error) {
        if (isNamespaceTerminating(error)) return undefined;
        recorder.event(pod, 'Warning', 'FailedResourceClaimCreation', `PodResourceClaim ${wanted.name}: ${error instanceof Error ? error.message : String(error)}`);
        throw error;
      }
    };

    const tellPod = async (pod: Pod, statuses: readonly PodResourceClaimStatus[]): Promise<void> => {
      const missing = statuses.filter((status) => !pod.status?.resourceClaimStatuses?.some((known) => known.name === status.name && known.resourceClaimName === status.resourceClaimName));
      if (missing.length === 0) return;
      const place = { namespace: pod.metadata.namespace, name: pod.metadata.name ?? '' };
      await ignoringGone(client.resource('v1/pods').patch(place, { metadata: { uid: pod.metadata.uid }, status: { resourceClaimStatuses: missing } }, { type: 'strategic', subresource: 'status', signal }));
    };

    /** A pod that was put on a node without the scheduler has nobody else to reserve its claims. */
    const reserveForScheduled = async (pod: Pod, statuses: readonly PodResourceClaimStatus[]): Promise<void> => {
      if (!pod.spec?.nodeName) return;
      for (const wanted of pod.spec.resourceClaims ?? []) {
        const name = wanted.resourceClaimName ?? statuses.find((status) => status.name === wanted.name)?.resourceClaimName;
        const claim = claims.get(`${pod.metadata.namespace ?? ''}/${name ?? ''}`);
        if (!claim?.status?.allocation || claim.status.reservedFor?.some(({ uid }) => uid === pod.metadata.uid)) continue;
        const reservedFor = [...(claim.status.reservedFor ?? []), { resource: 'pods', name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' }];
        await ignoringGone(resource.updateStatus({ ...claim, status: { ...claim.status, reservedFor } }, { signal }));
      }
    };

    const reconcileClaim = async (key: string): Promise<void> => {
      const claim = claims.get(key);
      if (!claim) return;
      const released = await release(claim);
      /** The scheduler writes the finalizer before the allocation: only what was given back, or shall go, needs none. */
      if (released !== claim || claim.metadata.deletionTimestamp) await removeFinalizer(released);
      const owner = (claim.metadata.ownerReferences ?? []).find((reference) => reference.controller && reference.kind === 'Pod');
      const pod = owner && pods.get(`${claim.metadata.namespace ?? ''}/${owner.name}`);
      if (!pod || pod.metadata.uid !== owner.uid || !isDone(pod) || claim.metadata.deletionTimestamp) return;
      await ignoringGone(resource.delete(splitKey(key), { preconditions: { uid: claim.metadata.uid }, signal }));
    };

    /** Takes back what is reserved for pods that do not run any more; a claim that nobody holds loses its devices. */
    const release = async (claim: ResourceClaim): Promise<ResourceClaim> => {
      const { reservedFor = [], allocation } = claim.status ?? {};
      const kept: typeof reservedFor = [];
      for (const consumer of reservedFor) if (consumer.resource !== 'pods' || (consumer.apiGroup ?? '') !== '' || (await isRunning(claim, consumer))) kept.push(consumer);
      if (kept.length === reservedFor.length && !(allocation && kept.length === 0 && claim.metadata.deletionTimestamp)) return claim;
      const { allocation: _, devices: __, ...status } = claim.status ?? {};
      const free = kept.length === 0;
      const next = { ...claim, status: { ...(free ? status : claim.status), reservedFor: free ? undefined : kept } };
      try {
        return await resource.updateStatus(next, { signal });
      } catch (error) {
        if (isNotFound(error)) return claim;
        throw error;
      }
    };

    const isRunning = async (claim: ResourceClaim, consumer: { name: string; uid: string }): Promise<boolean> => {
      const place = { namespace: claim.metadata.namespace, name: consumer.name };
      const known = pods.get(`${place.namespace ?? ''}/${place.name}`);
      if (known?.metadata.uid === consumer.uid) return !isDone(known);
      try {
        const live = await client.resource('v1/pods').get(place, { signal });
        return live.metadata.uid === consumer.uid && !isDone(live);
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    };

    const removeFinalizer = async (claim: ResourceClaim): Promise<void> => {
      const { finalizers = [] } = claim.metadata;
      if (!finalizers.includes(FINALIZER) || claim.status?.allocation || (claim.status?.reservedFor ?? []).length > 0) return;
      await ignoringGone(resource.update({ ...claim, metadata: { ...claim.metadata, finalizers: finalizers.filter((f) => f !== FINALIZER) } }, { signal }));
    };

    const { queue, run } = keyedLoop(context, 'resource_claim', 10, (key) => (key.startsWith(POD) ? reconcilePod(key.slice(POD.length)) : reconcileClaim(key.slice(CLAIM.length))));

    const podChanged = (pod: Pod): void => {
      if (!pod.spec?.resourceClaims?.length) return;
      queue.add(POD + keyOf(pod));
      for (const { name, resourceClaimName } of pod.spec.resourceClaims) {
        const claimName = resourceClaimName ?? pod.status?.resourceClaimStatuses?.find((status) => status.name === name)?.resourceClaimName;
        if (claimName) queue.add(`${CLAIM}${pod.metadata.namespace ?? ''}/${claimName}`);
      }
      /** Also those that the pod was never told of. */
      for (const key of claims.indexer.keysByIndex(CONTROLLER_UID_INDEX, pod.metadata.uid ?? '')) queue.add(CLAIM + key);
    };
    pods.addHandler({ onAdd: podChanged, onUpdate: (_, after) => podChanged(after), onDelete: podChanged });
    enqueueOnChange(claims, queue, (claim) => {
      const owner = claim.metadata.ownerReferences?.find((reference) => reference.controller);
      if (owner) made.delete(`${owner.uid}/${claim.metadata.annotations?.[POD_CLAIM_NAME] ?? ''}`);
      if (owner?.kind === 'Pod') queue.add(`${POD}${claim.metadata.namespace ?? ''}/${owner.name}`);
      return CLAIM + keyOf(claim);
    });
    templates.addHandler({
      onAdd: ({ metadata: { name, namespace } }, { initial }) => {
        if (initial) return;
        for (const pod of pods.list()) {
          if (pod.metadata.namespace === namespace && pod.spec?.resourceClaims?.some((wanted) => wanted.resourceClaimTemplateName === name)) queue.add(POD + keyOf(pod));
        }
      },
    });
    return run;
  },
};

/** It runs no more, and will not again. */
function isDone(pod: Pod): boolean {
  const { phase } = pod.status ?? {};
  return isTerminalPhase(phase) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName);
}

async function ignoringGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
