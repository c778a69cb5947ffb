/** The fleet of a cluster, from the cluster's own options. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeDirectoryDurably, writeFileDurably, type Context } from '../../kernel/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import type { Components } from '../components.ts';
import type { ControlPlane } from '../control-plane.ts';
import { FabricError } from '../fabric/index.ts';
import { ephemeralName, removeAbandonedFleets, removeFleet } from './abandoned-fleets.ts';
import { NodeFleet, type FleetOptions } from './node-fleet.ts';

const RANGES_FILE = 'network.json';

export interface NetworkRanges {
  readonly clusterCidr: string;
  readonly serviceClusterIpRange: string;
}

/**
 * With the ranges that were asked for, or, where another cluster of this machine has them and nothing is stored yet,
 * with free ones, which the directory then remembers.
 */
export async function openFleet(ctx: Context, options: ClusterOptions): Promise<NodeFleet> {
  const name = clusterName(options);
  const { dataDirectory } = options;
  const remembered = dataDirectory && path.join(dataDirectory, RANGES_FILE);
  const known =
    remembered && fs.existsSync(remembered)
      ? (JSON.parse(fs.readFileSync(remembered, 'utf8')) as NetworkRanges)
      : undefined;
  const fleetOptions: FleetOptions = {
    clusterName: name,
    directory: path.join(dataDirectory ?? path.join(os.tmpdir(), name), 'nodes'),
    temporary: dataDirectory === undefined,
    clusterCidr: options.clusterCidr,
    serviceClusterIpRange: options.serviceClusterIpRange,
    ...known,
    egress: options.egress ?? false,
    dns: options.addons?.includes('dns') ?? false,
    leaseDurationSeconds: options.nodeMonitoring?.leaseDurationSeconds,
  };
  try {
    return await NodeFleet.open(ctx, fleetOptions);
  } catch (error) {
    const isNew = !dataDirectory || !fs.existsSync(path.join(dataDirectory, 'etcd'));
    if (!(error instanceof FabricError) || error.code !== 'range-taken' || !isNew) throw error;
    const fleet = await NodeFleet.open(ctx, {
      ...fleetOptions,
      clusterCidr: undefined,
      serviceClusterIpRange: undefined,
    });
    if (remembered) {
      makeDirectoryDurably(dataDirectory, 0o700);
      await writeFileDurably(remembered, JSON.stringify(fleet.ranges));
    }
    return fleet;
  }
}

/** Of everything that the cluster has on the machine; the same again for the same directory. */
function clusterName({ dataDirectory }: Pick<ClusterOptions, 'dataDirectory'>): string {
  return dataDirectory
    ? `k8ts-${createHash('sha256').update(path.resolve(dataDirectory)).digest('hex').slice(0, 8)}`
    : ephemeralName(process.pid);
}

/**
 * Takes off the machine what a killed cluster of this directory left running there, and what those left that cannot come
 * back; gives the names of what was removed. Data stays, and nothing of a living process is touched.
 */
export async function removeLeftovers(ctx: Context, dataDirectory: string): Promise<string[]> {
  const own = clusterName({ dataDirectory });
  return [...((await removeFleet(ctx, own)) ? [own] : []), ...(await removeAbandonedFleets(ctx))];
}

/** The nodes that there were before, and as many more as are asked for; gives their names. */
export async function startFleet(
  fleet: NodeFleet,
  { controlPlane, components, count }: { controlPlane: ControlPlane; components: Components; count: number },
): Promise<string[]> {
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
