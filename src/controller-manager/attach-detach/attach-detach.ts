/**
 * persistentvolume-attach-detach-controller: asks CSI drivers, by VolumeAttachments, to attach the volumes of pods to
 * their nodes and to detach them when no pod is left; tells nodes in their status what is attached.
 */
import type { Node, PersistentVolume, Pod } from '../../api/generated/core-v1.ts';
import type { VolumeAttachment } from '../../api/generated/storage-v1.ts';
import { isAlreadyExists, isNotFound, keyOf } from '../../client/index.ts';
import { deepEqual } from '../../machinery/deep-equal.ts';
import { enqueueOnChange, keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { hasTaint, OUT_OF_SERVICE } from '../node-lifecycle/taints.ts';
import { nodeOfPod, PODS_BY_NODE } from '../node-lifecycle/pods-by-node.ts';
import { claimsOfPod } from '../persistentvolume-binder/persistent-volume-binder.ts';
import { attachmentName, isExclusive, isManaged, isOurs, uniqueName, usesVolumes, volumeOf } from './volumes.ts';

const PODS_BY_CLAIM = 'claims';
const ATTACHMENTS_BY_NODE = 'nodeName';
/** How long a node may hold on to a volume that no pod needs before it is taken away by force. */
const UNMOUNT_PATIENCE_MS = 6 * 60_000;

export const attachDetachController: ControllerDescriptor = {
  name: 'persistentvolume-attach-detach-controller',
  aliases: ['attachdetach'],
  eventSource: 'attachdetach-controller',
  build(context) {
    const { client, clock, informers, recorder, signal } = context;
    const nodes = informers.informer('v1/nodes');
    const pods = informers.informer('v1/pods', {}, { [PODS_BY_NODE]: nodeOfPod, [PODS_BY_CLAIM]: claimsOfPod });
    const claims = informers.informer('v1/persistentvolumeclaims');
    const volumes = informers.informer('v1/persistentvolumes');
    const drivers = informers.informer('storage.k8s.io/v1/csidrivers');
    const attachments = informers.informer('storage.k8s.io/v1/volumeattachments', {}, { [ATTACHMENTS_BY_NODE]: (a) => [a.spec.nodeName] });
    const resource = client.resource('storage.k8s.io/v1/volumeattachments');
    /** Attachments that nobody needs but that their node still uses, and since when. */
    const unneeded = new Map<string, number>();

    const reconcile = async (name: string): Promise<void> => {
      const node = nodes.get(name);
      const wanted = node && isManaged(node) ? wantedOn(name) : new Map<string, WantedVolume>();
      const present = attachments.indexer.byIndex(ATTACHMENTS_BY_NODE, name);
      const leaving = present.filter((attachment) => !wanted.has(volumeOf(attachment)) && isOurs(attachment, volumes.get(volumeOf(attachment))) && isLetGo(node, attachment));
      /** The node must not use what is about to leave it, so it is told first. */
      if (node) await tellNode(node, present.filter((attachment) => !leaving.includes(attachment)));
      for (const one of wanted.values()) await attach(name, one);
      for (const attachment of leaving) await detach(attachment);
    };

    interface WantedVolume {
      readonly volume: PersistentVolume;
      readonly pods: readonly Pod[];
    }

    const wantedOn = (node: string): Map<string, WantedVolume> => {
      const wanted = new Map<string, WantedVolume>();
      for (const pod of pods.indexer.byIndex(PODS_BY_NODE, node).filter(usesVolumes)) {
        for (const claimKey of claimsOfPod(pod)) {
          const claim = claims.get(claimKey);
          const volume = claim?.spec?.volumeName ? volumes.get(claim.spec.volumeName) : undefined;
          if (!volume?.spec?.csi || volume.spec.claimRef?.uid !== claim?.metadata.uid || !mustBeAttached(volume)) continue;
          const known = wanted.get(keyOf(volume));
          wanted.set(keyOf(volume), { volume, pods: [...(known?.pods ?? []), pod] });
        }
      }
      return wanted;
    };

    const mustBeAttached = (volume: PersistentVolume): boolean => drivers.get(volume.spec?.csi?.driver ?? '')?.spec.attachRequired !== false;

    const attach = async (node: string, { volume, pods: users }: WantedVolume): Promise<void> => {
      const name = attachmentName(volume, node);
      unneeded.delete(name);
      if (attachments.get(name)) return;
      const elsewhere = isExclusive(volume) && attachments.list().some((other) => volumeOf(other) === keyOf(volume) && other.spec.nodeName !== node);
      if (elsewhere) {
        const message = `Multi-Attach error for volume "${keyOf(volume)}" Volume is already exclusively attached to one node and can't be attached to another`;
        for (const pod of users) recorder.event(pod, 'Warning', 'FailedAttachVolume', message);
        return;
      }
      try {
        await resource.create({ metadata: { name }, spec: { attacher: volume.spec?.csi?.driver ?? '', nodeName: node, source: { persistentVolumeName: keyOf(volume) } } }, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    };

    /** Taken from a node that still uses it, a file system may be torn; but a node that hangs must not keep it for ever. */
    const isLetGo = (node: Node | undefined, attachment: VolumeAttachment): boolean => {
      const name = keyOf(attachment);
      const volume = volumes.get(volumeOf(attachment));
      const inUse = node && volume?.spec?.csi && (node.status?.volumesInUse ?? []).includes(uniqueName(volume)) && !hasTaint(node, OUT_OF_SERVICE, 'NoExecute');
      const since = unneeded.get(name) ?? clock.monotonic();
      const left = since + UNMOUNT_PATIENCE_MS - clock.monotonic();
      if (!inUse || left <= 0) return true;
      unneeded.set(name, since);
      queue.addAfter(attachment.spec.nodeName, left);
      return false;
    };

    const detach = async ({ metadata: { name = '', uid, deletionTimestamp } }: VolumeAttachment): Promise<void> => {
      unneeded.delete(name);
      if (deletionTimestamp) return;
      await resource.delete({ name }, { preconditions: { uid }, signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    };

    const tellNode = async (node: Node, present: readonly VolumeAttachment[]): Promise<void> => {
      const ours = present.flatMap((attachment) => {
        const volume = volumes.get(volumeOf(attachment));
        return attachment.status?.attached && !attachment.metadata.deletionTimestamp && volume?.spec?.csi ? [{ name: uniqueName(volume), devicePath: '' }] : [];
      });
      const old = node.status?.volumesAttached ?? [];
      const others = old.filter(({ name }) => !name.startsWith('kubernetes.io/csi/'));
      const volumesAttached = [...others, ...ours.sort((a, b) => (a.name < b.name ? -1 : 1))];
      if (deepEqual([...old].sort((a, b) => (a.name < b.name ? -1 : 1)), [...volumesAttached].sort((a, b) => (a.name < b.name ? -1 : 1)))) return;
      if (!isManaged(node) && ours.length === 0) return;
      try {
        await client.resource('v1/nodes').patch({ name: keyOf(node) }, { status: { volumesAttached: volumesAttached.length > 0 ? volumesAttached : null } }, { type: 'merge', subresource: 'status', signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };

    const tellPods = (before: VolumeAttachment, after: VolumeAttachment): void => {
      const volume = volumeOf(after);
      const { claimRef } = volumes.get(volume)?.spec ?? {};
      const users = pods.indexer.byIndex(PODS_BY_CLAIM, `${claimRef?.namespace ?? ''}/${claimRef?.name ?? ''}`).filter((pod) => pod.spec?.nodeName === after.spec.nodeName);
      for (const pod of users) {
        if (after.status?.attached && !before.status?.attached) recorder.event(pod, 'Normal', 'SuccessfulAttachVolume', `AttachVolume.Attach succeeded for volume "${volume}" `);
        const failure = after.status?.attachError?.message;
        if (failure !== undefined && failure !== before.status?.attachError?.message) recorder.event(pod, 'Warning', 'FailedAttachVolume', `AttachVolume.Attach failed for volume "${volume}" : ${failure}`);
      }
    };

    const { queue, run } = keyedLoop(context, 'attach_detach', 10, reconcile);
    const enqueueUsers = (claimKey: string): undefined => {
      for (const pod of pods.indexer.byIndex(PODS_BY_CLAIM, claimKey)) if (pod.spec?.nodeName) queue.add(pod.spec.nodeName);
    };
    enqueueOnChange(nodes, queue, (node) => (isManaged(node) || node.status?.volumesAttached ? keyOf(node) : undefined));
    enqueueOnChange(pods, queue, (pod) => (claimsOfPod(pod).length > 0 ? pod.spec?.nodeName : undefined));
    enqueueOnChange(claims, queue, (claim) => enqueueUsers(keyOf(claim)));
    enqueueOnChange(volumes, queue, ({ spec }) => enqueueUsers(`${spec?.claimRef?.namespace ?? ''}/${spec?.claimRef?.name ?? ''}`));
    attachments.addHandler({ onUpdate: tellPods });
    enqueueOnChange(attachments, queue, (attachment) => {
      /** One node's detaching lets the next attach. */
      const { claimRef } = volumes.get(volumeOf(attachment))?.spec ?? {};
      if (claimRef) enqueueUsers(`${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`);
      return attachment.spec.nodeName;
    });
    return run;
  },
};
