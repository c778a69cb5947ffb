/** What the attach-detach controller watches, and which nodes an event concerns. */
import type { Node, PersistentVolume, Pod } from '../../api/generated/core-v1.ts';
import type { VolumeAttachment } from '../../api/generated/storage-v1.ts';
import { keyOf, type EventRecorder } from '../../client/index.ts';
import { keysOnChange, watch, type Watch } from '../controller.ts';
import { nodeOfPod } from '../node-lifecycle/pods-by-node.ts';
import { claimsOfPod, PODS_BY_CLAIM } from '../persistentvolume-binder/pods-by-claim.ts';
import type { AttachDetachParts } from './reconcile.ts';
import { isManaged, volumeOf } from './volumes.ts';

export function attachDetachWatches(parts: AttachDetachParts, recorder: EventRecorder): readonly Watch[] {
  const { nodes, pods, claims, volumes, attachments } = parts;
  const podsOfClaim = (key: string): Pod[] => pods.indexer.byIndex(PODS_BY_CLAIM, key);
  const podsOfVolume = (volume: PersistentVolume | undefined): Pod[] => {
    const { namespace = '', name = '' } = volume?.spec?.claimRef ?? {};
    return podsOfClaim(`${namespace}/${name}`);
  };
  const nodesOf = (users: readonly Pod[]): string[] => users.flatMap(nodeOfPod);
  const itself = (node: Node): string[] => (isManaged(node) || node.status?.volumesAttached ? [keyOf(node)] : []);
  /** Also the nodes of all pods that use the volume: detaching it from one node lets the next attach it. */
  const attachmentNodes = (attachment: VolumeAttachment): string[] => {
    const volume = volumes.get(volumeOf(attachment));
    return [...(volume?.spec?.claimRef ? nodesOf(podsOfVolume(volume)) : []), attachment.spec.nodeName];
  };
  const reportToPods = (before: VolumeAttachment, after: VolumeAttachment): void => {
    for (const pod of podsOfVolume(volumes.get(volumeOf(after)))) {
      if (pod.spec?.nodeName === after.spec.nodeName) recordAttachResult(recorder, pod, before, after);
    }
  };
  return [
    watch(nodes, keysOnChange(itself)),
    watch(
      pods,
      keysOnChange((pod) => (claimsOfPod(pod).length > 0 ? nodesOf([pod]) : [])),
    ),
    watch(
      claims,
      keysOnChange((claim) => nodesOf(podsOfClaim(keyOf(claim)))),
    ),
    watch(
      volumes,
      keysOnChange((volume) => nodesOf(podsOfVolume(volume))),
    ),
    watch(attachments, { updated: reportToPods }),
    watch(attachments, keysOnChange(attachmentNodes)),
  ];
}

function recordAttachResult(
  recorder: EventRecorder,
  pod: Pod,
  before: VolumeAttachment,
  after: VolumeAttachment,
): void {
  const volume = volumeOf(after);
  if (after.status?.attached && !before.status?.attached) {
    const message = `AttachVolume.Attach succeeded for volume "${volume}" `;
    recorder.event(pod, 'Normal', 'SuccessfulAttachVolume', message);
  }
  const failure = after.status?.attachError?.message;
  if (failure === undefined || failure === before.status?.attachError?.message) return;
  const message = `AttachVolume.Attach failed for volume "${volume}" : ${failure}`;
  recorder.event(pod, 'Warning', 'FailedAttachVolume', message);
}
