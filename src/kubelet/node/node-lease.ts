/** The node's heartbeat: a Lease that is renewed four times as often as it would run out. */
import type { Lease } from '../../api/generated/coordination-v1.ts';
import { errorMessage, formatMicroTime } from '../../base/index.ts';
import { isAlreadyExists, isConflict, isNotFound, type Client } from '../../client/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';

const NAMESPACE = 'kube-node-lease';
const RENEW_FRACTION = 0.25;
const RETRIES = 5;
const INITIAL_RETRY_MS = 200;
const MAX_RETRY_MS = 7000;

export interface NodeLeaseOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly durationSeconds: number;
  readonly nodeUid: () => string | undefined;
}

export async function runNodeLeaseController(ctx: Context, options: NodeLeaseOptions): Promise<void> {
  const { clock, signal, logger } = childContext(ctx, 'lease');
  const leases = options.client.resource('coordination.k8s.io/v1/leases');
  const reference = { namespace: NAMESPACE, name: options.nodeName };
  let lease: Lease | undefined;

  const renewed = (before: Lease | undefined): Lease => {
    const uid = options.nodeUid();
    const ownerReferences =
      before?.metadata.ownerReferences ??
      (uid === undefined ? undefined : [{ apiVersion: 'v1', kind: 'Node', name: options.nodeName, uid }]);
    return {
      ...before,
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...before?.metadata, ...reference, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
      spec: {
        ...before?.spec,
        holderIdentity: options.nodeName,
        leaseDurationSeconds: options.durationSeconds,
        renewTime: formatMicroTime(clock.now()),
      },
    };
  };

  const renew = async (): Promise<void> => {
    if (lease === undefined) {
      try {
        lease = await leases.get(reference, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        lease = await leases.create(renewed(undefined), { signal });
        return;
      }
    }
    try {
      lease = await leases.update(renewed(lease), { signal });
    } catch (error) {
      // Someone else wrote it, or it was deleted: what is there now is read before the next try.
      if (isConflict(error) || isNotFound(error) || isAlreadyExists(error)) lease = undefined;
      throw error;
    }
  };

  while (!signal.aborted) {
    for (
      let tries = 0, delay = INITIAL_RETRY_MS;
      tries < RETRIES && !signal.aborted;
      tries++, delay = Math.min(delay * 2, MAX_RETRY_MS)
    ) {
      try {
        await renew();
        break;
      } catch (error) {
        if (signal.aborted) return;
        logger.v(2).info('Failed to update lease', { err: errorMessage(error) });
        await clock.sleep(delay, signal).catch(() => {});
      }
    }
    await clock.sleep(options.durationSeconds * 1000 * RENEW_FRACTION, signal).catch(() => {});
  }
}
