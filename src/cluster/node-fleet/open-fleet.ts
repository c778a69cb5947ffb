/** The fleet of a cluster, from the cluster's own options. */
import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import type { Context } from '../../kernel/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import type { Components } from '../components.ts';
import type { ControlPlane } from '../control-plane.ts';
import { NodeFleet } from './node-fleet.ts';

export function openFleet(ctx: Context, options: ClusterOptions): Promise<NodeFleet> {
  const name = clusterName(options);
  return NodeFleet.open(ctx, {
    clusterName: name,
    directory: path.join(options.dataDirectory ?? path.join(os.tmpdir(), name), 'nodes'),
    temporary: options.dataDirectory === undefined,
    clusterCidr: options.clusterCidr,
    serviceClusterIpRange: options.serviceClusterIpRange,
    egress: options.egress ?? false,
    dns: options.addons?.includes('dns') ?? false,
  });
}

/** Of everything that the cluster has on the machine; the same again for the same directory. */
function clusterName({ dataDirectory }: ClusterOptions): string {
  return dataDirectory ? `k8ts-${createHash('sha256').update(path.resolve(dataDirectory)).digest('hex').slice(0, 8)}` : `k8ts-p${process.pid}`;
}

/** The nodes that there were before, and as many more as are asked for; gives their names. */
export async function startFleet(fleet: NodeFleet, { controlPlane, components, count }: { controlPlane: ControlPlane; components: Components; count: number }): Promise<string[]> {
  await fleet.start(controlPlane, components);
  const names = [...fleet.fabric.nodes.keys()];
  while (names.length < count) names.push(freeName(names));
  await Promise.all(names.map((name) => fleet.add(name)));
  return names;
}

/** The first of node-1, node-2, … that nobody has. */
export function freeName(taken: readonly string[]): string {
  for (let index = 1; ; index++) if (!taken.includes(`node-${index}`)) return `node-${index}`;
}
