import { createHash } from 'node:crypto';
/** What a server has for other machines: discovery, approval of their certificates, DNS on its own address, its node. */
import path from 'node:path';
import { KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import { issueCertificate } from '../apiserver/index.ts';
import {
  DEFAULT_CLOUD_CONFIG,
  localCloud,
  run as runCloudControllerManager,
  type LocalInfrastructure,
} from '../cloud-controller-manager/index.ts';
import type { Context } from '../kernel/index.ts';
import { CLUSTER_DOMAIN, clusterDnsAddress, machineResolvers, runClusterDns } from './cluster-dns.ts';
import { isShared, type ClusterOptions } from './cluster-options.ts';
import type { Components } from './components.ts';
import type { ControlPlane } from './control-plane.ts';
import { updateClusterRecord } from './data-directory.ts';
import { createDiscoveryObjects, type ClusterConfig } from './discovery/index.ts';
import { ADMIN, agentUser, nodeUser, serviceAccountUser } from './identities.ts';
import { electedAgain, leaderIdentity } from './leader-identity.ts';
import { approveServingCertificates, startMachineNode, type MachineNode } from './machine-node/index.ts';
import { servingIssuer } from './node/index.ts';

/** Port 53 of a machine's address may have the machine's own resolver. */
const DNS_PORT = 10_053;

export interface Machines {
  /** This machine's node, if it is one. */
  readonly node: MachineNode | undefined;
  /** Containers go on. */
  stop(): Promise<void>;
}

interface MachinesOptions {
  readonly options: ClusterOptions;
  readonly controlPlane: ControlPlane;
  readonly components: Components;
}

export async function startMachines(ctx: Context, parts: MachinesOptions): Promise<Machines> {
  const { options, controlPlane, components } = parts;
  const config = clusterConfig(parts);
  const admin = controlPlane.clientAs(ADMIN, 'k8ts');
  await createDiscoveryObjects(admin, {
    ca: controlPlane.pki.ca.certificate,
    config,
    isJoined: options.isJoined,
  });
  components.add('serving-certificate-approver', (inner) =>
    approveServingCertificates(
      inner,
      controlPlane.clientAs(
        serviceAccountUser('serving-certificate-approver'),
        `k8ts/${KUBERNETES_VERSION}`,
        inner.signal,
      ),
    ),
  );
  if (config.loadBalancerPool.length > 0) startLoadBalancers(ctx, parts, config.loadBalancerPool);
  if (config.dnsServers.length > 0) await startDns(parts);
  const node = options.machineNode ? await startOwnNode(ctx, parts, config) : undefined;
  if (node) components.add('machine-node', () => node.agentsEnded);
  return { node, stop: async () => node?.stop() };
}

/** Gives Services addresses of the pool; the machines announce them. */
function startLoadBalancers(
  ctx: Context,
  { options, controlPlane, components }: MachinesOptions,
  pool: readonly string[],
): void {
  const identity = leaderIdentity(options, ctx.random);
  const run = (inner: Context): Promise<void> => {
    const { clock, logger } = inner;
    const account = 'cloud-controller-manager';
    const cloud = localCloud({ infrastructure: poolInfrastructure(pool), clock, logger });
    return runCloudControllerManager(inner, {
      client: controlPlane.clientAs(serviceAccountUser(account), `${account}/${KUBERNETES_VERSION}`, inner.signal),
      provider: { name: cloud.name, loadBalancers: cloud.loadBalancers!, run: cloud.run! },
      config: { ...DEFAULT_CLOUD_CONFIG, leaderElect: isShared(options) },
      identity,
    });
  };
  components.add('cloud-controller-manager', electedAgain(run));
}

/** The machines find out by themselves who is healthy, and route for themselves. */
const poolInfrastructure = (pool: readonly string[]): LocalInfrastructure => ({
  instances: () => [],
  setPodCidrs: () => Promise.resolve(),
  podRoutes: () => Promise.resolve([]),
  loadBalancerRanges: pool,
  routeAddress: () => Promise.resolve(),
  unrouteAddress: () => Promise.resolve(),
  probe: () => Promise.resolve(true),
});

/** The same on every server but for its own address. */
function clusterConfig({ options, controlPlane }: MachinesOptions): ClusterConfig {
  const { advertiseAddress: address, apiServer, pki } = controlPlane;
  const dns = options.addons?.includes('dns') ?? false;
  const digest = createHash('sha256').update(pki.ca.certificate).digest();
  return {
    clusterCidr: options.clusterCidr,
    serviceClusterIpRange: options.serviceClusterIpRange,
    clusterDNS: dns ? [clusterDnsAddress(options.serviceClusterIpRange)] : [],
    clusterDomain: CLUSTER_DOMAIN,
    dnsServers: dns ? [{ address, port: DNS_PORT }] : [],
    vxlanId: digest.readUIntBE(0, 3) || 1,
    loadBalancerPool: options.loadBalancerPool ?? [],
    ...(options.profile ? { profile: options.profile } : {}),
    servers: [`https://${address.includes(':') ? `[${address}]` : address}:${apiServer.port}`],
  };
}

async function startDns({ options, controlPlane, components }: MachinesOptions): Promise<void> {
  const { advertiseAddress: address } = controlPlane;
  await new Promise<void>((resolve, reject) => {
    components.add('dns', (inner) =>
      runClusterDns(inner, {
        client: controlPlane.clientAs(serviceAccountUser('coredns'), `coredns/${KUBERNETES_VERSION}`, inner.signal),
        admin: controlPlane.clientAs(ADMIN, 'k8ts', inner.signal),
        clusterIp: clusterDnsAddress(options.serviceClusterIpRange),
        address,
        slice: `kube-dns-${createHash('sha256').update(address).digest('hex').slice(0, 8)}`,
        port: DNS_PORT,
        clusterDomain: CLUSTER_DOMAIN,
        forwarders: machineResolvers(),
        hasPeers: isShared(options),
        onReady: resolve,
      }),
    );
    components.failure.catch(reject);
  });
}

async function startOwnNode(
  ctx: Context,
  { options, controlPlane }: MachinesOptions,
  cluster: ClusterConfig,
): Promise<MachineNode> {
  const { nodeName, addresses, encrypt } = options.machineNode!;
  const { dataDirectory } = options;
  if (dataDirectory === undefined) throw new Error('a machine node needs a data directory');
  await updateClusterRecord(dataDirectory, {
    nodes: [],
    machineNode: { nodeName, addresses, loadBalancerPool: cluster.loadBalancerPool },
  });
  const node = await startMachineNode(ctx, {
    directory: path.join(dataDirectory, 'nodes', nodeName),
    nodeName,
    addresses,
    encrypt,
    cluster,
    clientOf: (agent, signal) =>
      controlPlane.clientAs(
        agent === 'machine-network' || agent === 'load-balancer-speaker'
          ? nodeUser(nodeName)
          : agentUser(agent, nodeName),
        `${agent}/${KUBERNETES_VERSION}`,
        signal,
      ),
    clientCa: controlPlane.pki.ca.certificate,
    serving: await servingIssuer(() =>
      issueCertificate(ctx, controlPlane.pki.ca, {
        commonName: `system:node:${nodeName}`,
        organizations: ['system:nodes'],
        usage: 'server',
        dnsNames: [nodeName],
        addresses,
      }),
    ),
    leaseDurationSeconds: options.nodeMonitoring?.leaseDurationSeconds,
    ...(options.registries ? { registries: options.registries } : {}),
  });
  await Promise.race([node.ready, node.agentsEnded]);
  return node;
}
