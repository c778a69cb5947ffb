/** Takes this machine out of its cluster: drains it, deletes its Node, and removes what it has on the machine. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { connect, loadKubeconfig, type Client, type ClientConfig } from '../../client/index.ts';
import { removeBridgeNetwork } from '../../container-runtime/index.ts';
import type { Context } from '../../kernel/index.ts';
import { removeRules } from '../../kube-proxy/index.ts';
import { removeCgroups } from '../../kubelet/index.ts';
import { removePolicies } from '../../network-policy/index.ts';
import { readClusterConfig, type ClusterConfig } from '../discovery/index.ts';
import { DEFAULT_STATE_DIRECTORY, restoreForwarding } from '../fabric/index.ts';
import { removeLoadBalancerSpeaker } from '../load-balancer-speaker/index.ts';
import { removeMachineNetwork } from '../machine-network/index.ts';
import { deleteNode, deletePodsOf } from '../node-fleet/index.ts';
import { endContainers, openRuntime } from '../node/index.ts';
import { drainNode } from './drain-node.ts';
import {
  cniOf,
  kubeconfigOf,
  machineRecordOf,
  nodeDirectoryOf,
  serversOf,
  type MachineRecord,
} from './machine-record.ts';
import { machineName, machineRuntimeOptions, type MachineNodeOptions } from './start-machine-node.ts';

export interface LeaveOptions {
  readonly directory: string;
  /** Ends the machine's process, if it runs; without one nothing can be drained. */
  readonly stopProcess?: (() => Promise<void>) | undefined;
  /** Leaves also when pods cannot be evicted in time, or the server does not answer. */
  readonly force: boolean;
  readonly drainMs: number;
  readonly deleteData: boolean;
  readonly onProgress?: (step: string) => void;
}

const ANSWER_MS = 3000;

export async function leaveCluster(ctx: Context, options: LeaveOptions): Promise<MachineRecord> {
  const { directory, force, stopProcess, onProgress } = options;
  const record = machineRecordOf(directory);
  if (record === undefined) throw new Error(`the machine of ${directory} has not joined a cluster`);
  const config = await loadKubeconfig({ clock: ctx.clock, file: kubeconfigOf(directory) });
  const client = await firstAnswering(ctx, config, serversOf(record));
  const unlessForced = (what: string) => (error: unknown) => {
    if (!force) throw new Error(`${what}: ${errorMessage(error)}; --force leaves nevertheless`, { cause: error });
    ctx.logger.warn(what, { err: errorMessage(error) });
  };
  try {
    if (stopProcess) {
      onProgress?.('draining');
      await drainNode(ctx, client, { node: record.nodeName, limitMs: options.drainMs }).catch(
        unlessForced('the node could not be drained'),
      );
      await stopProcess();
    }
    onProgress?.('removing the Node');
    await deleteNode(client, record.nodeName)
      .then(() => deletePodsOf(client, record.nodeName))
      .catch(unlessForced('the Node could not be deleted'));
  } finally {
    await client.close();
  }
  onProgress?.('cleaning up');
  const { nodeName, addresses } = record;
  await removeMachineNode(ctx, {
    ...{ nodeName, addresses, cni: cniOf(record), directory: nodeDirectoryOf(directory) },
    loadBalancerPool: record.cluster.loadBalancerPool,
  });
  for (const name of ['machine.json', 'kubelet.kubeconfig', 'pki'])
    await fs.rm(path.join(directory, name), { recursive: true, force: true });
  if (options.deleteData) await fs.rm(directory, { recursive: true, force: true });
  return record;
}

/** A client of a server that answers; of the first when none does. */
async function firstAnswering(ctx: Context, config: ClientConfig, servers: readonly string[]): Promise<Client> {
  for (const server of servers) {
    const client = connect(ctx, { ...config, server });
    const signal = ctx.clock.deadline(ANSWER_MS, ctx.signal);
    const answers = await readClusterConfig(client, signal).then(
      () => true,
      () => false,
    );
    if (answers) return client;
    await client.close();
  }
  return connect(ctx, config);
}

/** Ends all containers and removes everything of the node but its data. Its process must have ended. */
export async function removeMachineNode(
  ctx: Context,
  options: Pick<MachineNodeOptions, 'directory' | 'nodeName' | 'addresses' | 'cni'> &
    Pick<ClusterConfig, 'loadBalancerPool'>,
): Promise<void> {
  const { directory } = options;
  const runtimeOptions = machineRuntimeOptions(options);
  await endContainers(ctx, await openRuntime(ctx, runtimeOptions), runtimeOptions);
  await removeRules('nftables');
  await removePolicies();
  if (!options.cni) await removeBridgeNetwork({});
  await removeMachineNetwork();
  await removeLoadBalancerSpeaker(options.loadBalancerPool);
  restoreForwarding({ stateDirectory: directory, hostNetns: undefined });
  await removeCgroups(`/${machineName(directory)}`);
  await fs.rm(path.join(DEFAULT_STATE_DIRECTORY, machineName(directory)), { recursive: true, force: true });
}
