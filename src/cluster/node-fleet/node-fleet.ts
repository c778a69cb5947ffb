/**
 * The nodes of a cluster that run containers, each a network namespace of this machine, and what they share: the
 * fabric, the local cloud, DNS, and the API server's address inside.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { KUBERNETES_VERSION } from '../../api/kubernetes-version.ts';
import { issueCertificate } from '../../apiserver/index.ts';
import type { Client } from '../../client/index.ts';
import {
  DEFAULT_CLOUD_CONFIG,
  localCloud,
  run as runCloudControllerManager,
} from '../../cloud-controller-manager/index.ts';
import type { RegistryOptions } from '../../container-runtime/index.ts';
import { childContext, makeDirectory, type Context } from '../../kernel/index.ts';
import { removeCgroups } from '../../kubelet/index.ts';
import { CLUSTER_DOMAIN, clusterDnsAddress, machineResolvers, runClusterDns } from '../cluster-dns.ts';
import type { ComponentAccount } from '../component-access.ts';
import type { Components } from '../components.ts';
import type { ControlPlane } from '../control-plane.ts';
import { createFabric, type Fabric, type HostListener } from '../fabric/index.ts';
import { ADMIN, agentUser, serviceAccountUser } from '../identities.ts';
import { localInfrastructure } from '../local-infrastructure.ts';
import { servingIssuer, startNode, type RunningNode } from '../node/index.ts';
import type { Profile } from '../profile/index.ts';
import { removeAbandonedFleets, removeFleet, stateDirectoryOf, writeFleetRecord } from './abandoned-fleets.ts';
import { deleteNode, deletePodsOf } from './delete-node.ts';
import { freeName } from './free-name.ts';

export interface FleetOptions {
  readonly clusterName: string;
  /** Where the API server listens. */
  readonly bindAddress: string;
  /** Where nodes keep what lasts. */
  readonly directory: string;
  /** The directory is removed with the fleet. */
  readonly temporary: boolean;
  /** The address families of nodes, pods and Services, the primary one first. */
  readonly families: readonly ('IPv4' | 'IPv6')[];
  /** Default: free ranges. */
  readonly clusterCidr: string | undefined;
  readonly serviceClusterIpRange: string | undefined;
  /** Lets pods reach what the host reaches. */
  readonly egress: boolean;
  /** Whether cgroups can be created, and so limits of containers enforced. */
  readonly limits: boolean;
  readonly registries: RegistryOptions;
  readonly dns: boolean;
  /** The duration of node leases; the kubelet's default when undefined. */
  readonly leaseDurationSeconds: number | undefined;
  readonly profile: Profile | undefined;
  /** The nodes of the last start. */
  readonly remembered: readonly string[];
  /** Records the names of the nodes for the next start. */
  readonly remember: (names: readonly string[]) => Promise<void>;
}

const DNS_PORT = 53;

export class NodeFleet {
  readonly #nodes = new Map<string, RunningNode>();
  /** Nodes that `fail` has cut off; their containers still run. */
  readonly #failed = new Map<string, RunningNode>();
  #controlPlane: ControlPlane | undefined;
  #listener: HostListener | undefined;
  /** Until then the record also has the nodes that are still to be started. */
  #isStarted = false;
  readonly #ctx: Context;
  readonly #options: FleetOptions;

  private constructor(
    ctx: Context,
    options: FleetOptions,
    readonly fabric: Fabric,
  ) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /** Creates the network, before the control plane, whose address is part of it. */
  static async open(ctx: Context, options: FleetOptions): Promise<NodeFleet> {
    await removeAbandonedFleets(ctx);
    // Leftovers of an earlier process with the same pid are useless.
    if (options.temporary) await removeFleet(ctx, options.clusterName);
    const fabric = await createFabric(ctx, {
      name: options.clusterName,
      egress: options.egress,
      families: options.families,
      ranges: {
        ...(options.clusterCidr ? { pods: options.clusterCidr.split(',') } : {}),
        ...(options.serviceClusterIpRange ? { services: options.serviceClusterIpRange.split(',') } : {}),
      },
    });
    // Containers in user namespaces need search permission.
    await makeDirectory(options.directory, { mode: 0o711 });
    await writeFleetRecord(options.clusterName, {
      pid: process.pid,
      directory: options.directory,
      temporary: options.temporary,
    });
    return new NodeFleet(ctx, options, fabric);
  }

  /** Where nodes and pods reach the API server. */
  get apiServerAddress(): string {
    return this.fabric.hostAddresses[0]!;
  }

  /** What the cluster's Pods and Services have. */
  get ranges(): { clusterCidr: string; serviceClusterIpRange: string } {
    const { pods, services } = this.fabric.ranges;
    return { clusterCidr: pods.join(','), serviceClusterIpRange: services.join(',') };
  }

  get names(): string[] {
    return [...this.#nodes.keys()];
  }

  get nodes(): RunningNode[] {
    return [...this.#nodes.values()];
  }

  /** A node that has failed comes back. */
  get #recorded(): string[] {
    return [...this.#nodes.keys(), ...this.#failed.keys()];
  }

  /**
   * Starts the nodes of the record and of an earlier process, and as many more as requested; those beyond the number
   * are removed with their pods. Returns the names of those that stay.
   */
  async startNodes(count: number): Promise<string[]> {
    const names = [...new Set([...this.#options.remembered, ...this.fabric.nodes.keys()])];
    while (names.length < count) names.push(freeName(names));
    await this.#options.remember(names);
    await Promise.all(names.map((name) => this.add(name)));
    this.#isStarted = true;
    for (const name of names.slice(count)) await this.remove(name);
    return names.slice(0, count);
  }

  node(name: string): RunningNode | undefined {
    return this.#nodes.get(name);
  }

  /** Starts what all nodes share. */
  async start(controlPlane: ControlPlane, components: Components): Promise<void> {
    this.#controlPlane = controlPlane;
    const { port } = controlPlane.apiServer;
    const { bindAddress } = this.#options;
    this.#listener = await this.fabric.serveOnHost(
      port,
      (socket) => controlPlane.apiServer.accept(socket),
      bindAddress,
    );
    const clientAs = (account: ComponentAccount, signal: AbortSignal): Client =>
      controlPlane.clientAs(serviceAccountUser(account), `${account}/${KUBERNETES_VERSION}`, signal);
    components.add('cloud-controller-manager', (ctx) => {
      const infrastructure = localInfrastructure({
        clock: ctx.clock,
        fabric: this.fabric,
        isRunning: (name) => this.#nodes.has(name) || this.#failed.has(name),
      });
      const { clusterName } = this.#options;
      return runCloudControllerManager(ctx, {
        client: clientAs('cloud-controller-manager', ctx.signal),
        provider: localCloud({ infrastructure, clock: ctx.clock, logger: ctx.logger }),
        config: { ...DEFAULT_CLOUD_CONFIG, clusterName, leaderElect: false },
        identity: clusterName,
      });
    });
    if (!this.#options.dns) return;
    await new Promise<void>((resolve, reject) => {
      components.add('dns', (ctx) =>
        runClusterDns(ctx, {
          client: clientAs('coredns', ctx.signal),
          admin: controlPlane.clientAs(ADMIN, 'k8ts', ctx.signal),
          clusterIp: this.#clusterDns,
          address: this.apiServerAddress,
          slice: 'kube-dns-host',
          port: DNS_PORT,
          clusterDomain: CLUSTER_DOMAIN,
          // Without egress, pods do not reach what other names stand for.
          forwarders: this.#options.egress ? machineResolvers() : [],
          onReady: resolve,
        }),
      );
      components.failure.catch(reject);
    });
  }

  get #clusterDns(): string {
    return clusterDnsAddress(this.ranges.serviceClusterIpRange);
  }

  /** Resolves when the kubelet syncs pods; a node of an earlier process keeps its containers. */
  async add(name: string): Promise<RunningNode> {
    const known = this.#nodes.get(name);
    if (known) return known;
    const controlPlane = this.#controlPlane!;
    const node = await this.fabric.addNode(name);
    const running = await startNode(childContext(this.#ctx, 'nodes'), {
      clusterName: this.#options.clusterName,
      node,
      directory: path.join(this.#options.directory, name),
      stateDirectory: path.join(stateDirectoryOf(this.#options.clusterName), 'nodes', name),
      clientOf: (agent, signal) =>
        controlPlane.clientAs(agentUser(agent, name), `${agent}/${KUBERNETES_VERSION}`, signal),
      clientCa: controlPlane.pki.ca.certificate,
      serving: await servingIssuer(() =>
        issueCertificate(this.#ctx, controlPlane.pki.ca, {
          commonName: `system:node:${name}`,
          organizations: ['system:nodes'],
          usage: 'server',
          dnsNames: [name],
          addresses: node.addresses,
        }),
      ),
      podNetwork: { kind: 'bridge', mtu: this.fabric.mtu },
      limits: this.#options.limits,
      registries: this.#options.registries,
      clusterCidr: this.ranges.clusterCidr,
      dnsServers: this.#options.dns ? [{ address: this.apiServerAddress, port: DNS_PORT }] : [],
      cloudProvider: 'external',
      clusterDns: this.#options.dns ? [this.#clusterDns] : [],
      clusterDomain: CLUSTER_DOMAIN,
      leaseDurationSeconds: this.#options.leaseDurationSeconds,
      profile: this.#options.profile,
    });
    this.#failed.delete(name);
    this.#nodes.set(name, running);
    if (this.#isStarted) await this.#options.remember(this.#recorded);
    await Promise.race([running.ready, running.agentsEnded]);
    return running;
  }

  /**
   * Disconnects the node from all others and kills its programs, as when a machine's network and system fail at once.
   * Its containers continue, its Node object stays; `add` restores it.
   */
  async fail(name: string): Promise<void> {
    const known = this.#known(name);
    await this.fabric.unplugNode(name);
    this.#nodes.delete(name);
    this.#failed.set(name, known);
    await known.crash();
  }

  #known(name: string): RunningNode {
    const known = this.#nodes.get(name);
    if (!known) throw new Error(`there is no node ${name}; there are ${this.names.join(', ') || 'none'}`);
    return known;
  }

  /** Stops the node's pods and removes it from the machine, with its Node object. */
  async remove(name: string): Promise<void> {
    const known = this.#known(name);
    const client = this.#controlPlane!.clientAs(ADMIN, 'k8ts');
    await deleteNode(client, name);
    this.#nodes.delete(name);
    await this.#options.remember(this.#recorded);
    await known.stop();
    await deletePodsOf(client, name);
    await this.fabric.removeNode(name);
    if (this.#options.limits) await removeCgroups(`/${this.#options.clusterName}/${name}`);
    await fs.rm(path.join(this.#options.directory, name), { recursive: true, force: true });
  }

  /** Stops what is in this process, and leaves nodes and containers to the next one. */
  async release(): Promise<void> {
    await Promise.all(Array.from(this.#nodes.values(), (node) => node.crash()));
    this.#nodes.clear();
    await this.#listener?.close();
  }

  /** Stops everything and leaves the machine as it was, except for the nodes' data directories. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#nodes.values(), ...this.#failed.values()].map((node) => node.stop()));
    this.#nodes.clear();
    this.#failed.clear();
    await this.#listener?.close();
    await this.fabric.destroy();
    if (this.#options.limits) await removeCgroups(`/${this.#options.clusterName}`);
    await fs.rm(stateDirectoryOf(this.#options.clusterName), { recursive: true, force: true });
    if (this.#options.temporary) await fs.rm(this.#options.directory, { recursive: true, force: true });
  }
}
