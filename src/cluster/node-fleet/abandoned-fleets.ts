/**
 * Cleans up what killed clusters leave on the machine: containers, namespaces, routes, rules. A cluster with a data
 * directory takes them over at its next start; one in memory, or one whose directory is gone, never comes back.
 * Clusters of running processes are safe: their fabric is locked.
 */
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { makeDirectory, type Context } from '../../kernel/index.ts';
import { removeCgroups } from '../../kubelet/index.ts';
import { DEFAULT_STATE_DIRECTORY, listFabrics, takeUpFabric } from '../fabric/index.ts';
import { endContainers, openRuntime } from '../node/index.ts';

/** Where the nodes' directories are; written beside the fleet's state for the cleanup. */
interface FleetRecord {
  readonly pid: number;
  readonly directory: string;
  /** The directory is removed with the fleet. */
  readonly temporary: boolean;
}

const EPHEMERAL_NAME = /^k8ts-p(\d+)$/;

/** The name of a cluster in memory, with the pid of its process. */
export const ephemeralName = (pid: number): string => `k8ts-p${pid}`;
export const stateDirectoryOf = (clusterName: string): string => path.join(DEFAULT_STATE_DIRECTORY, clusterName);

export async function writeFleetRecord(clusterName: string, record: FleetRecord): Promise<void> {
  await makeDirectory(stateDirectoryOf(clusterName), { mode: 0o711 });
  await fs.writeFile(recordFile(clusterName), JSON.stringify(record));
}

const recordFile = (clusterName: string): string => path.join(stateDirectoryOf(clusterName), 'fleet.json');

async function readFleetRecord(clusterName: string): Promise<FleetRecord | undefined> {
  try {
    // Our own file.
    return JSON.parse(await fs.readFile(recordFile(clusterName), 'utf8')) as FleetRecord;
  } catch {
    const pid = EPHEMERAL_NAME.exec(clusterName)?.[1];
    return pid === undefined
      ? undefined
      : { pid: Number(pid), directory: path.join(os.tmpdir(), clusterName, 'nodes'), temporary: true };
  }
}

/**
 * Cleans up all clusters that cannot come back; returns their names. Failures are logged and retried at the next start.
 */
export async function removeAbandonedFleets(ctx: Context): Promise<string[]> {
  const removed: string[] = [];
  for (const name of listFabrics()) {
    try {
      const record = await readFleetRecord(name);
      const comesBack =
        record === undefined || isAlive(record.pid) || (!EPHEMERAL_NAME.test(name) && existsSync(record.directory));
      if (!comesBack && (await removeFleet(ctx, name))) removed.push(name);
    } catch (error) {
      ctx.logger.error(error, 'What a killed cluster has left could not be removed', { cluster: name });
    }
  }
  return removed;
}

/**
 * Removes what a dead process left of this cluster, but keeps the data; false when the process is alive or left
 * nothing.
 */
export async function removeFleet(ctx: Context, clusterName: string): Promise<boolean> {
  if (!listFabrics().includes(clusterName)) return false;
  const fabric = takeUpFabric(ctx, { name: clusterName });
  if (fabric === undefined) return false;
  const record = await readFleetRecord(clusterName);
  try {
    if (record !== undefined && existsSync(record.directory)) {
      for (const node of fabric.nodes.values()) {
        const options = {
          clusterName,
          node,
          directory: path.join(record.directory, node.name),
          stateDirectory: path.join(stateDirectoryOf(clusterName), 'nodes', node.name),
          podNetwork: { kind: 'bridge' as const, mtu: fabric.mtu },
        };
        await endContainers(ctx, await openRuntime(ctx, options), options);
      }
    }
  } catch (error) {
    ctx.logger.error(error, 'Containers of a killed cluster could not be ended in an orderly way', {
      cluster: clusterName,
    });
  }
  await killProcesses(ctx, clusterName);
  await fabric.destroy();
  await removeCgroups(`/${clusterName}`);
  await fs.rm(stateDirectoryOf(clusterName), { recursive: true, force: true });
  if (record?.temporary) await fs.rm(record.directory, { recursive: true, force: true });
  return true;
}

/** A reused pid counts as alive: the leftovers then stay a while longer. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

const KILL_ROUNDS = 50;
const KILL_WAIT_MS = 20;

/** Kills the processes in the cluster's cgroups, in any hierarchy. */
async function killProcesses(ctx: Context, clusterName: string): Promise<void> {
  const root = '/sys/fs/cgroup';
  const places = [
    path.join(root, clusterName),
    ...(await fs.readdir(root).catch(() => [])).map((hierarchy) => path.join(root, hierarchy, clusterName)),
  ];
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const pids = new Set((await Promise.all(places.map(processesBelow))).flat());
    if (pids.size === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has exited meanwhile.
      }
    }
    await ctx.clock.sleep(KILL_WAIT_MS);
  }
}

async function processesBelow(directory: string): Promise<number[]> {
  const entries = await fs.readdir(directory, { withFileTypes: true }).catch(() => []);
  const own = (await fs.readFile(path.join(directory, 'cgroup.procs'), 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
  const below = await Promise.all(
    entries.filter((entry) => entry.isDirectory()).map((entry) => processesBelow(path.join(directory, entry.name))),
  );
  return [...own, ...below.flat()];
}
