/** ephemeral-volume-controller: makes the claims of pods' generic ephemeral volumes; they go with their pods. */
import type { Pod, Volume } from '../../api/generated/core-v1.ts';
import {
  controllerReference,
  isAlreadyExists,
  isControlledBy,
  isNamespaceTerminating,
  keyOf,
} from '../../client/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';

export const ephemeralVolumeController: ControllerDescriptor = {
  name: 'ephemeral-volume-controller',
  aliases: ['ephemeral-volume'],
  eventSource: 'ephemeral_volume',
  build(context) {
    const { client, informers, recorder, signal } = context;
    const pods = informers.informer('v1/pods');
    const claims = informers.informer('v1/persistentvolumeclaims');

    const reconcile = async (key: string): Promise<void> => {
      const pod = pods.get(key);
      if (!pod || pod.metadata.deletionTimestamp) return;
      for (const volume of pod.spec?.volumes ?? []) if (volume.ephemeral) await makeClaim(pod, volume);
    };

    const makeClaim = async (pod: Pod, volume: Volume): Promise<void> => {
      const { namespace = '', name = '' } = pod.metadata;
      const claimName = `${name}-${volume.name}`;
      const existing = claims.get(`${namespace}/${claimName}`);
      if (existing) {
        if (isControlledBy(existing, pod)) return;
        recorder.event(
          pod,
          'Warning',
          'FailedBinding',
          `ephemeral volume ${volume.name}: PVC ${namespace}/${claimName} was not created for pod ${namespace}/${name} (pod is not owner)`,
        );
        return;
      }
      const { metadata, spec } = volume.ephemeral?.volumeClaimTemplate ?? {};
      const ownerReferences = [controllerReference(pod, { apiVersion: 'v1', kind: 'Pod' })];
      try {
        await client.resource('v1/persistentvolumeclaims').create(
          {
            metadata: {
              name: claimName,
              namespace,
              labels: metadata?.labels,
              annotations: metadata?.annotations,
              ownerReferences,
            },
            spec: { ...spec },
          },
          { signal },
        );
      } catch (error) {
        if (isAlreadyExists(error) || isNamespaceTerminating(error)) return;
        recorder.event(
          pod,
          'Warning',
          'FailedBinding',
          `ephemeral volume ${volume.name}: create PVC ${claimName}: ${error instanceof Error ? error.message : String(error)}`,
        );
        throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'ephemeral_volume', 5, reconcile);
    const enqueue = (pod: Pod): void => {
      if (!pod.metadata.deletionTimestamp && pod.spec?.volumes?.some((volume) => volume.ephemeral))
        queue.add(keyOf(pod));
    };
    /** A pod's volumes never change. */
    pods.addHandler({ onAdd: enqueue });
    claims.addHandler({
      onDelete: ({ metadata: { namespace, ownerReferences = [] } }) => {
        const owner = ownerReferences.find((reference) => reference.controller && reference.kind === 'Pod');
        if (owner) queue.add(`${namespace ?? ''}/${owner.name}`);
      },
    });
    return run;
  },
};
