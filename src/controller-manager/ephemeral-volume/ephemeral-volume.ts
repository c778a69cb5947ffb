/** ephemeral-volume-controller: creates the claims of pods' generic ephemeral volumes. A pod owns its claims. */
import type { PersistentVolumeClaim, Pod, Volume } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import {
  controllerReference,
  isAlreadyExists,
  isControlledBy,
  isNamespaceTerminating,
  keyOf,
  type SharedInformer,
} from '../../client/index.ts';
import type { Counter } from '../../kernel/index.ts';
import {
  keyedController,
  watch,
  type ControllerContext,
  type ControllerDescriptor,
  type Reconciler,
} from '../controller.ts';

export const ephemeralVolumeController: ControllerDescriptor = {
  name: 'ephemeral-volume-controller',
  aliases: ['ephemeral-volume'],
  eventSource: 'ephemeral_volume',
  build(context) {
    const pods = context.informers.informer('v1/pods');
    const claims = context.informers.informer('v1/persistentvolumeclaims');
    return keyedController(context, {
      queue: 'ephemeral_volume',
      workers: 5,
      reconciler: (worker) => new EphemeralVolumeReconciler(worker, pods, claims),
      watches: [
        // A pod's volumes never change, so updates are not watched.
        watch(pods, { added: (pod) => (needsClaims(pod) ? [keyOf(pod)] : []) }),
        watch(claims, {
          deleted: ({ metadata: { namespace = '', ownerReferences = [] } }) => {
            const owner = ownerReferences.find((reference) => reference.controller && reference.kind === 'Pod');
            return owner && [`${namespace}/${owner.name}`];
          },
        }),
      ],
    });
  },
};

const needsClaims = ({ metadata, spec }: Pod): boolean =>
  !metadata.deletionTimestamp && (spec?.volumes ?? []).some((volume) => volume.ephemeral);

class EphemeralVolumeReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #pods: SharedInformer<Pod>;
  readonly #claims: SharedInformer<PersistentVolumeClaim>;
  readonly #creates: Counter;
  readonly #failures: Counter;

  constructor(context: ControllerContext, pods: SharedInformer<Pod>, claims: SharedInformer<PersistentVolumeClaim>) {
    this.#context = context;
    this.#pods = pods;
    this.#claims = claims;
    this.#creates = context.metrics.counter({
      name: 'ephemeral_volume_controller_create_total',
      help: 'Requests to create a PersistentVolumeClaim.',
    });
    this.#failures = context.metrics.counter({
      name: 'ephemeral_volume_controller_create_failures_total',
      help: 'Requests to create a PersistentVolumeClaim that failed.',
    });
  }

  async reconcile(key: string): Promise<void> {
    const pod = this.#pods.get(key);
    if (!pod || pod.metadata.deletionTimestamp) return;
    for (const volume of pod.spec?.volumes ?? []) if (volume.ephemeral) await this.#ensureClaim(pod, volume);
  }

  async #ensureClaim(pod: Pod, volume: Volume): Promise<void> {
    const { client, recorder, signal } = this.#context;
    const { namespace = '', name = '' } = pod.metadata;
    const claimName = `${name}-${volume.name}`;
    const warn = (problem: string): void =>
      recorder.event(pod, 'Warning', 'FailedBinding', `ephemeral volume ${volume.name}: ${problem}`);
    const existing = this.#claims.get(`${namespace}/${claimName}`);
    if (existing) {
      if (!isControlledBy(existing, pod))
        warn(`PVC ${namespace}/${claimName} was not created for pod ${namespace}/${name} (pod is not owner)`);
      return;
    }
    const { metadata: { labels, annotations } = {}, spec } = volume.ephemeral?.volumeClaimTemplate ?? {};
    const ownerReferences = [controllerReference(pod, { apiVersion: 'v1', kind: 'Pod' })];
    const metadata = { name: claimName, namespace, labels, annotations, ownerReferences };
    this.#creates.inc();
    try {
      await client.resource('v1/persistentvolumeclaims').create({ metadata, spec: { ...spec } }, { signal });
    } catch (error) {
      this.#failures.inc();
      if (isAlreadyExists(error) || isNamespaceTerminating(error)) return;
      warn(`create PVC ${claimName}: ${errorMessage(error)}`);
      throw error;
    }
  }
}
