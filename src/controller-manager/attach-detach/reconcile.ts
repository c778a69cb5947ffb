/** Reconciles the VolumeAttachments and volumesAttached of one node with the volumes that its pods need. */
import type {
  AttachedVolume,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from '../../api/generated/core-v1.ts';
import type { CSIDriver, VolumeAttachment } from '../../api/generated/storage-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { isAlreadyExists, keyOf, type ResourceClient, type SharedInformer } from '../../client/index.ts';
import type { ControllerContext, Reconciler } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { PODS_BY_NODE } from '../node-lifecycle/pods-by-node.ts';
import { hasTaint, OUT_OF_SERVICE } from '../node-lifecycle/taints.ts';
import { claimsOfPod } from '../persistentvolume-binder/pods-by-claim.ts';
import { attachmentName, isExclusive, isManaged, isOurs, uniqueName, usesVolumes, volumeOf } from './volumes.ts';

export const ATTACHMENTS_BY_NODE = 'nodeName';
/** How long a node may use a volume that no pod needs before the controller detaches it by force. */
const MAX_WAIT_FOR_UNMOUNT_MS = 6 * 60_000;

/** What the reconciler and the watches of attachments share. */
export interface AttachDetachParts {
  readonly nodes: SharedInformer<Node>;
  /** With the indexes PODS_BY_NODE and PODS_BY_CLAIM. */
  readonly pods: SharedInformer<Pod>;
  readonly claims: SharedInformer<PersistentVolumeClaim>;
  readonly volumes: SharedInformer<PersistentVolume>;
  readonly drivers: SharedInformer<CSIDriver>;
  /** With the index ATTACHMENTS_BY_NODE. */
  readonly attachments: SharedInformer<VolumeAttachment>;
}

interface WantedVolume {
  readonly volume: PersistentVolume;
  readonly pods: readonly Pod[];
}

type RequeueAfter = (ms: number) => void;

export class AttachDetachReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: AttachDetachParts;
  readonly #resource: ResourceClient<VolumeAttachment>;
  readonly #unneeded: Map<string, number>;

  /** `unneeded`: attachments that no pod needs and that their node still uses, and since when. */
  constructor(context: ControllerContext, parts: AttachDetachParts, unneeded: Map<string, number>) {
    this.#unneeded = unneeded;
    this.#context = context;
    this.#parts = parts;
    this.#resource = context.client.resource('storage.k8s.io/v1/volumeattachments');
  }

  async reconcile(name: string, requeueAfter: RequeueAfter): Promise<void> {
    const { nodes, volumes, attachments } = this.#parts;
    const node = nodes.get(name);
    const wanted = node && isManaged(node) ? this.#wantedOn(name) : new Map<string, WantedVolume>();
    const present = attachments.indexer.byIndex(ATTACHMENTS_BY_NODE, name);
    const leaving = present.filter(
      (attachment) =>
        !wanted.has(volumeOf(attachment)) &&
        isOurs(attachment, volumes.get(volumeOf(attachment))) &&
        this.#mayDetach(node, attachment, requeueAfter),
    );
    // The status is written first: the kubelet must not mount a volume that is about to be detached.
    const staying = present.filter((attachment) => !leaving.includes(attachment));
    if (node) await this.#writeNodeStatus(node, staying);
    for (const volume of wanted.values()) await this.#attach(name, volume);
    for (const attachment of leaving) await this.#detach(attachment);
  }

  #wantedOn(node: string): Map<string, WantedVolume> {
    const { pods, claims, volumes } = this.#parts;
    const wanted = new Map<string, WantedVolume>();
    for (const pod of pods.indexer.byIndex(PODS_BY_NODE, node).filter(usesVolumes)) {
      for (const claimKey of claimsOfPod(pod)) {
        const claim = claims.get(claimKey);
        const volume = claim?.spec?.volumeName ? volumes.get(claim.spec.volumeName) : undefined;
        if (!volume?.spec?.csi || volume.spec.claimRef?.uid !== claim?.metadata.uid) continue;
        if (!this.#mustBeAttached(volume)) continue;
        const known = wanted.get(keyOf(volume));
        wanted.set(keyOf(volume), { volume, pods: [...(known?.pods ?? []), pod] });
      }
    }
    return wanted;
  }

  #mustBeAttached(volume: PersistentVolume): boolean {
    return this.#parts.drivers.get(volume.spec?.csi?.driver ?? '')?.spec.attachRequired !== false;
  }

  async #attach(nodeName: string, { volume, pods }: WantedVolume): Promise<void> {
    const { attachments } = this.#parts;
    const { recorder, signal } = this.#context;
    const name = attachmentName(volume, nodeName);
    this.#unneeded.delete(name);
    if (attachments.get(name)) return;
    if (isExclusive(volume) && this.#isAttachedElsewhere(volume, nodeName)) {
      const why = "Volume is already exclusively attached to one node and can't be attached to another";
      const message = `Multi-Attach error for volume "${keyOf(volume)}" ${why}`;
      for (const pod of pods) recorder.event(pod, 'Warning', 'FailedAttachVolume', message);
      return;
    }
    const spec = {
      attacher: volume.spec?.csi?.driver ?? '',
      nodeName,
      source: { persistentVolumeName: keyOf(volume) },
    };
    try {
      await this.#resource.create({ metadata: { name }, spec }, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  #isAttachedElsewhere(volume: PersistentVolume, nodeName: string): boolean {
    return this.#parts.attachments
      .list()
      .some((other) => volumeOf(other) === keyOf(volume) && other.spec.nodeName !== nodeName);
  }

  /**
   * Detaching a volume that the node still uses may damage its file system, but a node that hangs must not keep the
   * volume for ever.
   */
  #mayDetach(node: Node | undefined, attachment: VolumeAttachment, requeueAfter: RequeueAfter): boolean {
    const { clock } = this.#context;
    const name = keyOf(attachment);
    const since = this.#unneeded.get(name) ?? clock.monotonic();
    const left = since + MAX_WAIT_FOR_UNMOUNT_MS - clock.monotonic();
    if (!this.#isInUse(node, attachment) || left <= 0) return true;
    this.#unneeded.set(name, since);
    requeueAfter(left);
    return false;
  }

  #isInUse(node: Node | undefined, attachment: VolumeAttachment): boolean {
    const volume = this.#parts.volumes.get(volumeOf(attachment));
    if (!node || !volume?.spec?.csi) return false;
    const inUse = (node.status?.volumesInUse ?? []).includes(uniqueName(volume));
    return inUse && !hasTaint(node, OUT_OF_SERVICE, 'NoExecute');
  }

  async #detach({ metadata: { name = '', uid, deletionTimestamp } }: VolumeAttachment): Promise<void> {
    const { signal } = this.#context;
    this.#unneeded.delete(name);
    if (deletionTimestamp) return;
    await ignoreNotFound(() => this.#resource.delete({ name }, { preconditions: { uid }, signal }));
  }

  async #writeNodeStatus(node: Node, present: readonly VolumeAttachment[]): Promise<void> {
    const { client, signal } = this.#context;
    const attached = this.#attachedVolumes(present);
    const old = node.status?.volumesAttached ?? [];
    const others = old.filter(({ name }) => !name.startsWith('kubernetes.io/csi/'));
    const volumesAttached = [...others, ...sortedByName(attached)];
    if (deepEqual(sortedByName(old), sortedByName(volumesAttached))) return;
    if (!isManaged(node) && attached.length === 0) return;
    const patch = { status: { volumesAttached: volumesAttached.length > 0 ? volumesAttached : null } };
    const options = { type: 'merge', subresource: 'status', signal } as const;
    await ignoreNotFound(() => client.resource('v1/nodes').patch({ name: keyOf(node) }, patch, options));
  }

  #attachedVolumes(present: readonly VolumeAttachment[]): AttachedVolume[] {
    return present.flatMap((attachment) => {
      const volume = this.#parts.volumes.get(volumeOf(attachment));
      const isAttached = attachment.status?.attached && !attachment.metadata.deletionTimestamp;
      return isAttached && volume?.spec?.csi ? [{ name: uniqueName(volume), devicePath: '' }] : [];
    });
  }
}

const sortedByName = (volumes: readonly AttachedVolume[]): AttachedVolume[] =>
  [...volumes].sort((a, b) => (a.name < b.name ? -1 : 1));
