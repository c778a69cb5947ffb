/** Deletes the identity Leases of API servers that have not renewed them: of machines that have left the cluster. */
import type { Lease } from '../../api/generated/coordination-v1.ts';
import type { Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Loopback } from '../request/loopback.ts';
import { IDENTITY_LABEL } from './identity-lease.ts';

const PERIOD_MS = 3_600_000;
const PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

type LeaseObject = Lease & KubeObject;

/** Resolves after the first round; the others follow until the context ends. */
export async function startIdentityLeaseGc(
  ctx: Context,
  loopback: Loopback,
  leases: () => readonly LeaseObject[],
): Promise<void> {
  const collect = async (): Promise<void> => {
    for (const lease of leases()) {
      if (!isOfServer(lease) || !isExpired(lease, ctx.clock.now())) continue;
      try {
        await deleteIfExpired(ctx, loopback, lease.metadata.name!);
      } catch (error) {
        if (ctx.signal.aborted) return;
        ctx.logger.error(error, 'Could not delete the expired identity Lease of an API server', { lease });
      }
    }
  };
  await collect();
  const timer = ctx.clock.every(PERIOD_MS, () => void collect());
  ctx.signal.addEventListener('abort', () => timer.cancel(), { once: true });
}

/** The server may have come back, or another server may delete the Lease first. */
async function deleteIfExpired(ctx: Context, loopback: Loopback, name: string): Promise<void> {
  try {
    const lease = (await loopback('GET', `${PATH}/${name}`)) as LeaseObject;
    if (isExpired(lease, ctx.clock.now())) await loopback('DELETE', `${PATH}/${name}`);
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}

const isOfServer = ({ metadata }: LeaseObject): boolean => metadata.labels?.[IDENTITY_LABEL] === 'kube-apiserver';

/** A Lease without these fields does not belong to a running server. */
function isExpired({ spec: { renewTime, leaseDurationSeconds } = {} }: LeaseObject, now: number): boolean {
  if (renewTime === undefined || leaseDurationSeconds === undefined) return true;
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 < now;
}
