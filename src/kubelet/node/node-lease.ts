/** The node lease controller: renews the node's Lease in kube-node-lease, the heartbeat of the node. */
import type { Lease } from '../../api/generated/coordination-v1.ts';
import { errorMessage, formatMicroTime } from '../../base/index.ts';
import { isAlreadyExists, isConflict, isNotFound, type Client } from '../../client/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';

const NAMESPACE = 'kube-node-lease';
/** Of the lease duration, as upstream: the Lease survives three failed renewals. */
const RENEW_INTERVAL_FRACTION = 0.25;
const MAX_RETRIES = 5;
const INITIAL_RETRY_MS = 200;
const MAX_RETRY_MS = 7000;

interface NodeLeaseOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly durationSeconds: number;
  readonly nodeUid: () => string | undefined;
}

export class NodeLeaseController {
  readonly #ctx: Context;
  readonly #options: NodeLeaseOptions;
  #lease: Lease | undefined;

  constructor(ctx: Context, options: NodeLeaseOptions) {
    this.#ctx = childContext(ctx, 'lease');
    this.#options = options;
  }

  async run(): Promise<void> {
    const { clock, signal } = this.#ctx;
    while (!signal.aborted) {
      await this.#renewWithRetries();
      await clock.sleep(this.#options.durationSeconds * 1000 * RENEW_INTERVAL_FRACTION, signal).catch(() => {});
    }
  }

  async #renewWithRetries(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    let delay = INITIAL_RETRY_MS;
    for (let tries = 0; tries < MAX_RETRIES && !signal.aborted; tries++) {
      try {
        return await this.#renew();
      } catch (error) {
        if (signal.aborted) return;
        logger.v(2).info('Failed to update lease', { err: errorMessage(error) });
        await clock.sleep(delay, signal).catch(() => {});
        delay = Math.min(delay * 2, MAX_RETRY_MS);
      }
    }
  }

  async #renew(): Promise<void> {
    const { signal } = this.#ctx;
    const leases = this.#options.client.resource('coordination.k8s.io/v1/leases');
    if (this.#lease === undefined) {
      try {
        this.#lease = await leases.get({ namespace: NAMESPACE, name: this.#options.nodeName }, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        this.#lease = await leases.create(this.#renewed(undefined), { signal });
        return;
      }
    }
    try {
      this.#lease = await leases.update(this.#renewed(this.#lease), { signal });
    } catch (error) {
      // The Lease was written or deleted by another client: read it again before the next try.
      if (isConflict(error) || isNotFound(error) || isAlreadyExists(error)) this.#lease = undefined;
      throw error;
    }
  }

  #renewed(before: Lease | undefined): Lease {
    const { nodeName, durationSeconds, nodeUid } = this.#options;
    const uid = nodeUid();
    const ownerReferences =
      before?.metadata.ownerReferences ??
      (uid === undefined ? undefined : [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid }]);
    return {
      ...before,
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        ...before?.metadata,
        namespace: NAMESPACE,
        name: nodeName,
        ...(ownerReferences === undefined ? {} : { ownerReferences }),
      },
      spec: {
        ...before?.spec,
        holderIdentity: nodeName,
        leaseDurationSeconds: durationSeconds,
        renewTime: formatMicroTime(this.#ctx.clock.now()),
      },
    };
  }
}
