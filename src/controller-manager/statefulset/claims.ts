/** The claims of StatefulSet pods: created before their pod, and retained or deleted by the retention policy. */
import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import { errorMessage, deepEqual } from '../../base/index.ts';
import { controllerReference, isAlreadyExists, type SharedInformer } from '../../client/index.ts';
import type { ControllerContext } from '../controller.ts';
import { claimsFor, ordinalOf, podNameFor, startOrdinal, STATEFUL_SET_KIND } from './identity.ts';

const POD_KIND = { apiVersion: 'v1', kind: 'Pod' };

export class StatefulClaims {
  readonly informer: SharedInformer<PersistentVolumeClaim>;
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.informer = context.informers.informer('v1/persistentvolumeclaims');
  }

  /** Creates the missing claims of an ordinal. */
  async createMissing(set: StatefulSet, ordinal: number): Promise<void> {
    const { client, signal, recorder } = this.#context;
    const subject = (claim: PersistentVolumeClaim): string =>
      `Claim ${claim.metadata.name} Pod ${podNameFor(set, ordinal)} in StatefulSet ${set.metadata.name}`;
    for (const claim of claimsFor(set, ordinal).values()) {
      if (this.informer.get(`${claim.metadata.namespace}/${claim.metadata.name}`)) continue;
      const ownerReferences = this.#policy(set).whenDeleted ? [controllerReference(set, STATEFUL_SET_KIND)] : undefined;
      try {
        await client
          .resource('v1/persistentvolumeclaims')
          .create(
            { ...claim, metadata: { ...claim.metadata, ...(ownerReferences ? { ownerReferences } : {}) } },
            { signal },
          );
        recorder.event(set, 'Normal', 'SuccessfulCreate', `Create ${subject(claim)} success`);
      } catch (error) {
        if (isAlreadyExists(error)) continue;
        if (!signal.aborted)
          recorder.event(
            set,
            'Warning',
            'FailedCreate',
            `Create ${subject(claim)} failed error: ${errorMessage(error)}`,
          );
        throw error;
      }
    }
  }

  /** A claim that an earlier pod of the name owns must be deleted before the new pod is created. */
  hasStale(set: StatefulSet, ordinal: number): boolean {
    return [...claimsFor(set, ordinal).values()].some((claim) => {
      const existing = this.informer.get(`${claim.metadata.namespace}/${claim.metadata.name}`);
      return (
        existing?.metadata.deletionTimestamp !== undefined ||
        existing?.metadata.ownerReferences?.some((reference) => reference.kind === 'Pod') === true
      );
    });
  }

  /** Sets the owner references of a pod's claims by the retention policy. */
  async followPolicy(set: StatefulSet, pod: Pod): Promise<void> {
    const { client, signal } = this.#context;
    for (const wanted of claimsFor(set, ordinalOf(pod)).values()) {
      const claim = this.informer.get(`${wanted.metadata.namespace}/${wanted.metadata.name}`);
      if (!claim) continue;
      const ownerReferences = this.#ownersOf(claim, set, pod);
      if (deepEqual(ownerReferences, claim.metadata.ownerReferences ?? [])) continue;
      await client
        .resource('v1/persistentvolumeclaims')
        .update({ ...claim, metadata: { ...claim.metadata, ownerReferences } }, { signal });
    }
  }

  #ownersOf(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): OwnerReference[] {
    const { whenDeleted, whenScaled } = this.#policy(set);
    const current = claim.metadata.ownerReferences ?? [];
    // An earlier set or pod of the name owns the claim: that is left to the garbage collector.
    if (current.some((owner) => isEarlier(owner, set, STATEFUL_SET_KIND) || isEarlier(owner, pod, POD_KIND)))
      return current;
    const others = current.filter(({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid);
    // An object has one controller: a claim of another one is not taken over.
    if ((whenDeleted || whenScaled) && others.some(({ controller }) => controller === true)) return others;
    const ordinal = ordinalOf(pod);
    const isCondemned = ordinal < startOrdinal(set) || ordinal >= startOrdinal(set) + (set.spec?.replicas ?? 1);
    if (whenScaled && isCondemned) return [...others, controllerReference(pod, POD_KIND)];
    return whenDeleted ? [...others, controllerReference(set, STATEFUL_SET_KIND)] : others;
  }

  #policy({ spec }: StatefulSet): { whenDeleted: boolean; whenScaled: boolean } {
    const { whenDeleted, whenScaled } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
    return { whenDeleted: whenDeleted === 'Delete', whenScaled: whenScaled === 'Delete' };
  }
}

const isEarlier = (
  { apiVersion, kind, name, uid }: OwnerReference,
  { metadata }: StatefulSet | Pod,
  type: { readonly apiVersion: string; readonly kind: string },
): boolean => apiVersion === type.apiVersion && kind === type.kind && name === metadata.name && uid !== metadata.uid;
