/** At start: creates missing IPAddress objects of Services, and deletes those without a Service. */
import type { Service } from '../../api/generated/core-v1.ts';
import type { IPAddress } from '../../api/generated/networking-v1.ts';
import type { Context } from '../../kernel/index.ts';
import type { Registry } from '../registry/registry.ts';
import { AllocationError, type ClusterIpAllocator } from './cluster-ip-allocator.ts';

const MANAGED_BY_LABEL = 'ipaddress.kubernetes.io/managed-by';

export async function repairClusterIps(ctx: Context, registry: Registry, addresses: ClusterIpAllocator): Promise<void> {
  const services = registry.require('', 'v1', 'services').cache;
  for (const entry of [...services.list()]) {
    const { spec } = entry.object as unknown as Service;
    for (const ip of spec?.type === 'ExternalName' ? [] : (spec?.clusterIPs ?? [])) {
      if (ip === 'None' || addresses.ownerOf(ip)) continue;
      await claim(ctx, addresses, ip, { namespace: entry.namespace, name: entry.name });
    }
  }
  for (const entry of [...registry.require('networking.k8s.io', 'v1', 'ipaddresses').cache.list()]) {
    const { metadata, spec } = entry.object as unknown as IPAddress;
    if (metadata.labels?.[MANAGED_BY_LABEL] !== 'ipallocator.k8s.io') continue;
    const owner = spec?.parentRef;
    const service = services.get(owner?.namespace ?? '', owner?.name ?? '')?.object as unknown as Service | undefined;
    if (!service?.spec?.clusterIPs?.includes(entry.name)) await addresses.release(entry.name);
  }
}

async function claim(
  ctx: Context,
  addresses: ClusterIpAllocator,
  ip: string,
  owner: { namespace: string; name: string },
): Promise<void> {
  try {
    await addresses.allocate(ip, owner, false);
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    ctx.logger.warn('Failed to allocate the cluster IP of an existing Service', {
      service: `${owner.namespace}/${owner.name}`,
      ip,
      reason: error.message,
    });
  }
}
