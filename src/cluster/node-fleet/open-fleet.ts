/** Opens the node fleet for a cluster's options. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeDirectoryDurably, writeFileDurably, type Context } from '../../kernel/index.ts';
import { listenAddress, type ClusterOptions } from '../cluster-options.ts';
import type { Components } from '../components.ts';
import type { ControlPlane } from '../control-plane.ts';
import { readClusterRecord, updateClusterRecord } from '../data-directory.ts';
import { FabricError } from '../fabric/index.ts';
import { ephemeralName, removeAbandonedFleets, removeFleet } from './abandoned-fleets.ts';
import { NodeFleet, type FleetOptions } from './node-fleet.ts';

const RANGES_FILE = 'network.json';

interface NetworkRanges {
  readonly clusterCidr: string;
  readonly serviceClusterIpRange: string;
}

/**
 * Uses the requested ranges. When another cluster of this machine has them and this cluster is new, it uses free ones
 * and stores them in the data directory.
 */
export async function openFleet(ctx: Context, options: ClusterOptions): Promise<NodeFleet> {
  const name = clusterName(options);
  const { dataDirectory } = options;
  if (dataDirectory) checkOwner(path.join(dataDirectory, 'nodes'));
  const remembered = dataDirectory && path.join(dataDirectory, RANGES_FILE);
  const known =
    remembered && fs.existsSync(remembered)
      ? (JSON.parse(fs.readFileSync(remembered, 'utf8')) as NetworkRanges)
      : undefined;
  let recording: Promise<void> = Promise.resolve();
  const fleetOptions: FleetOptions = {
    clusterName: name,
    bindAddress: listenAddress(options),
    directory: path.join(dataDirectory ?? path.join(os.tmpdir(), name), 'nodes'),
    temporary: dataDirectory === undefined,
    families: options.clusterCidr.split(',').map((range) => (range.includes(':') ? 'IPv6' : 'IPv4')),
    clusterCidr: options.clusterCidr,
    serviceClusterIpRange: options.serviceClusterIpRange,
    ...known,
    egress: options.egress ?? false,
    limits: options.limits ?? true,
    registries: { ...options.registries, ...(options.hostNetwork ? { dial: options.hostNetwork.connect } : {}) },
    dns: options.addons?.includes('dns') ?? false,
    leaseDurationSeconds: options.nodeMonitoring?.leaseDurationSeconds,
    profile: options.profile,
    remembered: (dataDirectory && readClusterRecord(dataDirectory)?.nodes) || [],
    // One after the other: each replaces the file.
    remember: (nodes) =>
      (recording = recording.then(() => (dataDirectory ? updateClusterRecord(dataDirectory, { nodes }) : undefined))),
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

/** Files of containers belong to root, or to the user's subordinate ids; neither can go on with the other's. */
function checkOwner(directory: string): void {
  const owner = fs.existsSync(directory) ? fs.statSync(directory).uid : process.getuid?.();
  if (owner === process.getuid?.()) return;
  throw new Error(
    `the containers in ${directory} belong to the user ${owner}: start the cluster as that user, or choose another --data-dir`,
  );
}

/** The prefix of all names on the machine; stable for a data directory. */
function clusterName({ dataDirectory }: Pick<ClusterOptions, 'dataDirectory'>): string {
  return dataDirectory
    ? `k8ts-${createHash('sha256').update(path.resolve(dataDirectory)).digest('hex').slice(0, 8)}`
    : ephemeralName(process.pid);
}

/**
 * Removes what a killed cluster of this directory left running, and the leftovers of clusters that cannot come back;
 * returns their names. Data and running clusters are not touched.
 */
export async function removeLeftovers(ctx: Context, dataDirectory: string): Promise<string[]> {
  const own = clusterName({ dataDirectory });
  return [...((await removeFleet(ctx, own)) ? [own] : []), ...(await removeAbandonedFleets(ctx))];
}

/** Starts what the nodes share, and the nodes; returns their names. */
export async function startFleet(
  fleet: NodeFleet,
  { controlPlane, components, count }: { controlPlane: ControlPlane; components: Components; count: number },
): Promise<string[]> {
  await fleet.start(controlPlane, components);
  return fleet.startNodes(count);
}
