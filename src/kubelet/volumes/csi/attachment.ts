/** The VolumeAttachment of a volume to this node, which a controller and the driver's attacher work on. */
import { createHash } from 'node:crypto';
import type { CSIDriver } from '../../../api/generated/storage-v1.ts';
import { isNotFound, type Client } from '../../../client/index.ts';
import type { Context } from '../../../kernel/index.ts';
import { AttachLimitError, VolumeError } from '../volume.ts';

const ATTACH_WAIT_MS = 2 * 60_000;
const ATTACH_POLL_MS = 500;
/** The code of gRPC. */
const RESOURCE_EXHAUSTED = 8;

interface AttachWait {
  readonly client: Client;
  readonly nodeName: string;
  readonly driver: string;
  /** The CSIDriver, if there is one. */
  readonly object: CSIDriver | undefined;
  readonly volumeHandle: string;
  readonly podSignal: AbortSignal | undefined;
}

/** Waits until the volume is attached; returns the attachment metadata. */
export async function waitForAttach(ctx: Context, wait: AttachWait): Promise<Record<string, string>> {
  const { client, nodeName, driver, object, volumeHandle, podSignal } = wait;
  const { clock } = ctx;
  const signal = podSignal === undefined ? ctx.signal : AbortSignal.any([ctx.signal, podSignal]);
  const name = `csi-${createHash('sha256').update(`${volumeHandle}${driver}${nodeName}`).digest('hex')}`;
  const deadline = clock.monotonic() + ATTACH_WAIT_MS;
  for (;;) {
    const attachment = await client
      .resource('storage.k8s.io/v1/volumeattachments')
      .get({ name })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    if (attachment?.status?.attached === true && attachment.metadata.deletionTimestamp === undefined)
      return attachment.status.attachmentMetadata ?? {};
    const { message, errorCode } = attachment?.status?.attachError ?? {};
    const isExhausted = errorCode === RESOURCE_EXHAUSTED && (object?.spec.nodeAllocatableUpdatePeriodSeconds ?? 0) > 0;
    if (isExhausted) throw new AttachLimitError(message ?? '', driver);
    if (message) throw new VolumeError(message);
    if (clock.monotonic() > deadline)
      throw new VolumeError(`timed out waiting for the volume ${volumeHandle} of ${driver} to be attached`);
    await clock.sleep(ATTACH_POLL_MS, signal);
  }
}
