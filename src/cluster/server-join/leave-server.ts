/** Takes a server out of its cluster: its member of etcd first, while it can still agree to that; then the machine. */
import fs from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { connect, loadKubeconfig, type Client, type ClientConfig } from '../../client/index.ts';
import { EtcdMembers } from '../../etcd/index.ts';
import type { Context } from '../../kernel/index.ts';
import { readClusterRecord, type ClusterRecord } from '../data-directory.ts';
import { forgetServer, readClusterConfig, type ClusterConfig } from '../discovery/index.ts';
import { drainNode, removeMachineNode, type LeaveOptions } from '../machine-node/index.ts';
import { memberUrls, removeMember } from '../managed-etcd/index.ts';
import { deleteNode, deletePodsOf } from '../node-fleet/index.ts';

interface LeaveServerOptions extends LeaveOptions {
  /** Takes the member out while the server runs; undefined when it does not run. */
  readonly leaveEtcd?: (() => Promise<void>) | undefined;
}

interface LeftServer {
  readonly nodeName: string;
  readonly server: string;
}

/** Whether the machine is a server that others can go on without. */
export const isServer = (directory: string): boolean => {
  const record = readClusterRecord(directory);
  return record?.managedEtcd !== undefined || record?.joined !== undefined;
};

const ANSWER_MS = 3000;

/** What stays of a machine that has left: logs and snapshots. */
const REMOVED = ['cluster.json', 'pki', 'kubeconfig', 'etcd-member', 'etcd-member.before', 'etcd.before', 'etcd.pid'];

export async function leaveServer(ctx: Context, options: LeaveServerOptions): Promise<LeftServer> {
  const { directory, force, stopProcess, onProgress } = options;
  const record = readClusterRecord(directory)!;
  const address = record.managedEtcd?.address ?? record.joined!.machineNode.addresses[0]!;
  const machine = record.machineNode;
  const unlessForced = (what: string) => (error: unknown) => {
    if (!force) throw new Error(`${what}: ${errorMessage(error)}; --force leaves nevertheless`, { cause: error });
    ctx.logger.warn(what, { err: errorMessage(error) });
  };
  const others = await otherServer(ctx, directory, address);
  try {
    if (stopProcess && machine) {
      onProgress?.('draining');
      await drainNode(ctx, others.client, { node: machine.nodeName, limitMs: options.drainMs }).catch(
        unlessForced('the node could not be drained'),
      );
    }
    if (record.managedEtcd) {
      onProgress?.('leaving etcd');
      const leave = options.leaveEtcd ?? (() => leaveStopped(ctx, directory, record));
      await leave().catch(unlessForced('the member of etcd could not be removed'));
    }
    await stopProcess?.();
    onProgress?.('removing the Node');
    await forgetServer(others.client, address).catch(unlessForced('the cluster could not be told'));
    if (machine)
      await deleteNode(others.client, machine.nodeName)
        .then(() => deletePodsOf(others.client, machine.nodeName))
        .catch(unlessForced('the Node could not be deleted'));
  } finally {
    await others.client.close();
  }
  onProgress?.('cleaning up');
  if (machine)
    await removeMachineNode(ctx, {
      ...machine,
      cni: undefined,
      directory: path.join(directory, 'nodes', machine.nodeName),
    });
  for (const name of REMOVED) fs.rmSync(path.join(directory, name), { recursive: true, force: true });
  if (options.deleteData) fs.rmSync(directory, { recursive: true, force: true });
  return { nodeName: machine?.nodeName ?? record.managedEtcd?.memberName ?? '', server: others.server };
}

/** As the administrator, at a server that stays. */
async function otherServer(
  ctx: Context,
  directory: string,
  address: string,
): Promise<{ readonly client: Client; readonly server: string }> {
  const config = await loadKubeconfig({ clock: ctx.clock, file: path.join(directory, 'kubeconfig') });
  const known = readClusterRecord(directory)?.joined?.server;
  const candidates = [config.server, ...(known === undefined ? [] : [known])];
  for (const candidate of candidates) {
    const { servers = [] } = (await configAt(ctx, config, candidate)) ?? {};
    for (const server of servers.filter((url) => new URL(url).hostname.replace(/^\[|\]$/g, '') !== address))
      if (await configAt(ctx, config, server)) return { client: connect(ctx, { ...config, server }), server };
  }
  throw new Error(
    'no other server of the cluster answers; the last one cannot leave: "k8ts delete" removes the cluster',
  );
}

/** Undefined when the server does not answer. */
async function configAt(ctx: Context, config: ClientConfig, server: string): Promise<ClusterConfig | undefined> {
  const client = connect(ctx, { ...config, server });
  try {
    return await readClusterConfig(client, ctx.clock.deadline(ANSWER_MS, ctx.signal));
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

/** Of a server that does not run: the others decide without it. */
async function leaveStopped({ clock }: Context, directory: string, { managedEtcd }: ClusterRecord): Promise<void> {
  const pki = (name: string): Buffer => fs.readFileSync(path.join(directory, 'pki', name));
  const { client: own, peer } = memberUrls(managedEtcd!);
  const tls = { ca: pki('etcd/ca.crt'), cert: pki('apiserver-etcd-client.crt'), key: pki('apiserver-etcd-client.key') };
  const endpoints = (managedEtcd!.join ?? []).filter((url) => url !== own);
  if (endpoints.length === 0) throw new Error('the other members of etcd are not known; start the server, then leave');
  const members = new EtcdMembers({ endpoints, tls, clock });
  try {
    const member = (await members.list()).find(({ peerUrls }) => peerUrls.includes(peer));
    if (member) await removeMember(members, member.id, { force: false });
  } finally {
    members.close();
  }
}
