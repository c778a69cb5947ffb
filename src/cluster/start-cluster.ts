/** A cluster in this process: the control plane, its components, and its nodes. */
import { setMaxListeners } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import type { Pod } from '../api/generated/core-v1.ts';
import { KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import type { UserInfo } from '../apiserver/index.ts';
import type { Client } from '../client/index.ts';
import { DEFAULT_CONFIG, run as runControllerManager } from '../controller-manager/index.ts';
import { glassApi } from '../glass/index.ts';
import {
  DEFAULT_INGRESS_CONFIG,
  run as runIngressController,
  type IngressEndpoints,
} from '../ingress-controller/index.ts';
import { endInOrder, untilAborted, type Context } from '../kernel/index.ts';
import { run as runMetricsServer } from '../metrics-server/index.ts';
import {
  DEFAULT_CONFIG as DEFAULT_SCHEDULER_CONFIG,
  Explanations,
  run as runScheduler,
  type Explanation,
  type Fit,
} from '../scheduler/index.ts';
import { SimulatedNodes } from '../simulated-kubelet/index.ts';
import { createClusterObjects, createControllerAccounts } from './cluster-objects.ts';
import { isJoinable, isShared, type ClusterOptions } from './cluster-options.ts';
import { Components } from './components.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { controllerClients } from './controller-clients.ts';
import { readClusterRecord, updateClusterRecord } from './data-directory.ts';
import { OWN_CLIENT } from './faults/index.ts';
import { ADMIN, componentUser, nodeUser, OWN_USER, serviceAccountUser } from './identities.ts';
import { kubeletReader } from './kubelet-reader.ts';
import { ELECTION_TIMING, electedAgain, leaderIdentity } from './leader-identity.ts';
import type { MachineNode } from './machine-node/index.ts';
import { deleteNode, deletePodsOf, openFleet, startFleet, type NodeFleet } from './node-fleet/index.ts';
import { CIS_CONTROLLER_MANAGER } from './profile/index.ts';
import { bridgeLoopback, publishNodePorts, publishPort } from './rootless/index.ts';
import { startMachines, type Machines } from './start-machines.ts';
import { untilDefaultAccount, untilNodesReady } from './until-ready.ts';

export interface Cluster extends Omit<ControlPlane, 'finished'> {
  readonly options: ClusterOptions;
  readonly components: Components;
  readonly simulatedNodes: SimulatedNodes;
  /** The nodes that run containers; undefined when there are none. */
  readonly fleet: NodeFleet | undefined;
  /** The node that this machine itself is, if it is one. */
  readonly machine: MachineNode | undefined;
  /** Where Ingresses are served; undefined when they are not. */
  readonly ingress: IngressEndpoints | undefined;
  /** The scheduler's last decision about a pod, if it has made one lately. */
  schedulingDecision(pod: { namespace: string; name: string }): Explanation | undefined;
  /** Whether a pod would fit that does not exist; undefined while no scheduler of this process leads. */
  wouldFit(pod: Pod): Fit | undefined;
  /** Resolves when everything has ended; rejects when a component failed. */
  readonly finished: Promise<void>;
}

/** The prefix length of a node's pod CIDR. With more nodes than CIDRs, none are allocated. */
const NODE_CIDR_BITS = 24;

/** Resolves when the cluster can be used; it ends with the context. A start that fails leaves nothing running. */
export async function startCluster(parent: Context, requested: ClusterOptions): Promise<Cluster> {
  const stopping = new AbortController();
  const ctx: Context = { ...parent, signal: AbortSignal.any([parent.signal, stopping.signal]) };
  setMaxListeners(0, ctx.signal);
  const record = requested.dataDirectory ? readClusterRecord(requested.dataDirectory) : undefined;
  const { managedEtcd } = requested;
  if (requested.dataDirectory && managedEtcd) await updateClusterRecord(requested.dataDirectory, { managedEtcd });
  const { hostNetwork, bindAddress: host } = requested;
  const port = hostNetwork ? await publishPort(hostNetwork, { host, port: requested.port }) : requested.port;
  if (hostNetwork) await bridgeLoopback(hostNetwork, requested.etcdServers ?? [], ctx.signal);
  /** The network comes first: the API server's address for nodes and pods is part of it. */
  const fleet = (requested.nodes ?? 0) > 0 ? await openFleet(ctx, requested) : undefined;
  const options: ClusterOptions = {
    ...requested,
    port,
    ...(fleet ? { ...fleet.ranges, advertiseAddress: fleet.apiServerAddress } : {}),
    ...(requested.machineNode ? { advertiseAddress: requested.machineNode.addresses[0]! } : {}),
  };
  /** The API server may call webhooks before there are nodes. */
  let simulated: SimulatedNodes | undefined;
  const components = new Components(ctx);
  const serving = isShared(options) ? untilReleased(ctx, components) : ctx;
  const controlPlane = await startControlPlane(serving, options, {
    connectToNode: (name) => simulated?.connectTo(name),
    isSimulatedNode: (name) => simulated?.has(name) ?? false,
    isSimulatedAddress: (address) => simulated?.hasAddress(address) ?? false,
  }).catch(async (error: unknown) => {
    stopping.abort(error);
    await fleet?.destroy();
    throw error;
  });
  const nodes = simulatedNodes(ctx, controlPlane);
  simulated = nodes;
  const machines: { started?: Machines } = {};
  const { keepContainers = false } = options;
  const finished = untilFinished({ ctx, controlPlane, components, stopping, fleet, machines, keepContainers });
  try {
    const admin = controlPlane.clientAs(ADMIN, 'k8ts');
    const { etcd } = controlPlane;
    if (etcd) components.add('etcd', ({ signal }) => Promise.race([etcd.failed, untilAborted(signal)]));
    await createClusterObjects(admin, options);
    await forgetNodes(admin, (fleet ? record?.standIns : record?.nodes) ?? []);
    if (options.dataDirectory && !fleet) await updateClusterRecord(options.dataDirectory, { nodes: [] });
    if (record?.forkOf !== undefined && !fleet) await nodes.standIn();
    const { explanations, untilIngress } = startComponents(ctx, { options, controlPlane, components, nodes });
    const schedulingDecision: Cluster['schedulingDecision'] = ({ namespace, name }) =>
      explanations.explanationOf(`${namespace}/${name}`);
    if (ctx.tracer.enabled) serveGlass(ctx, controlPlane, schedulingDecision);
    const [ingress] = await Promise.all([
      untilIngress,
      startNodes(ctx, { options, controlPlane, components, nodes, fleet, machines }),
      createControllerAccounts(admin, options),
    ]);
    await rememberStandIns(options, nodes, record?.standIns ?? []);
    return {
      ...controlPlane,
      options,
      components,
      simulatedNodes: nodes,
      fleet,
      machine: machines.started?.node,
      ingress,
      schedulingDecision,
      wouldFit: (pod) => explanations.wouldFit?.(pod),
      finished,
    };
  } catch (error) {
    stopping.abort(error);
    await finished.catch(() => undefined);
    throw error;
  }
}

/** Leaders that end give their leases back, so that others need not wait: for that the API server goes on a moment. */
function untilReleased(ctx: Context, components: Components): Context {
  const { clock, signal } = ctx;
  const serving = new AbortController();
  setMaxListeners(0, serving.signal);
  const end = async (): Promise<void> => {
    const released = components.wait(['kube-controller-manager', 'kube-scheduler', 'cloud-controller-manager']);
    await Promise.race([released, clock.sleep(RELEASE_LIMIT_MS)]);
    serving.abort(signal.reason);
  };
  if (signal.aborted) serving.abort(signal.reason);
  else signal.addEventListener('abort', () => void end(), { once: true });
  return { ...ctx, signal: serving.signal };
}

const RELEASE_LIMIT_MS = 2000;

function serveGlass(
  { tracer, clock }: Context,
  { apiServer, clientsAs }: ControlPlane,
  schedulingDecision: Cluster['schedulingDecision'],
): void {
  const clientAs = clientsAs(userAgent('glass'));
  apiServer.registerApi(glassApi({ tracer, clock, insight: apiServer.insight, clientAs, schedulingDecision }));
}

/** The nodes of a cluster that ran containers and does so no more, or of one that could not and now does. */
async function forgetNodes(client: Client, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await deleteNode(client, name);
    await deletePodsOf(client, name);
  }
}

/** For the next start. */
async function rememberStandIns(
  { dataDirectory, standIns = 0 }: ClusterOptions,
  nodes: SimulatedNodes,
  before: readonly string[],
): Promise<void> {
  if (!dataDirectory || (standIns === 0 && before.length === 0)) return;
  const kept = before.filter((name) => nodes.has(name));
  const others = [...nodes.names].filter((name) => !kept.includes(name));
  await updateClusterRecord(dataDirectory, { standIns: [...kept, ...others].slice(0, standIns) });
}

interface Parts {
  readonly options: ClusterOptions;
  readonly controlPlane: ControlPlane;
  readonly components: Components;
  readonly nodes: SimulatedNodes;
}

const userAgent = (component: string): string => `${component}/${KUBERNETES_VERSION}`;

function simulatedNodes(ctx: Context, controlPlane: ControlPlane): SimulatedNodes {
  const clientAs = controlPlane.clientsAs(userAgent('simulated-kubelet'));
  return new SimulatedNodes(ctx, {
    reader: clientAs(serviceAccountUser('simulated-kubelet')),
    admin: controlPlane.clientAs(ADMIN, 'k8ts'),
    kubeletClient: (nodeName) => clientAs(nodeUser(nodeName)),
  });
}

interface StartedComponents {
  readonly explanations: Explanations;
  readonly untilIngress: Promise<IngressEndpoints | undefined>;
}

function startComponents(ctx: Context, { options, controlPlane, components, nodes }: Parts): StartedComponents {
  const explanations = new Explanations();
  const identity = leaderIdentity(options, ctx.random);
  const clientOf = (component: string, user: UserInfo, { signal }: Context): Client =>
    controlPlane.clientAs(user, userAgent(component), signal);
  if (options.controllers.length > 0) {
    const config = controllerManagerConfig(options, controlPlane);
    components.add(
      'kube-controller-manager',
      electedAgain((inner) =>
        runControllerManager(inner, { ...controllerClients(controlPlane, inner.signal), config, identity }),
      ),
    );
  }
  if (options.scheduler !== false) {
    const { leaderElection } = DEFAULT_SCHEDULER_CONFIG;
    const config = {
      ...DEFAULT_SCHEDULER_CONFIG,
      leaderElect: isShared(options),
      leaderElection: { ...leaderElection, ...ELECTION_TIMING },
    };
    components.add(
      'kube-scheduler',
      electedAgain((inner) => {
        const client = clientOf('kube-scheduler', componentUser('kube-scheduler'), inner);
        return runScheduler(inner, { client, config, explanations, identity });
      }),
    );
  }
  if (options.addons?.includes('metrics')) {
    components.add('metrics-server', (inner) =>
      runMetricsServer(inner, {
        client: clientOf('metrics-server', serviceAccountUser('metrics-server'), inner),
        readNode: kubeletReader(inner, { controlPlane, simulatedNodes: nodes, account: 'metrics-server' }),
        register: controlPlane.apiServer.registerApi,
      }),
    );
  }
  if (!options.addons?.includes('ingress') || ((options.nodes ?? 0) === 0 && !options.machineNode))
    return { explanations, untilIngress: Promise.resolve(undefined) };
  const config = { ...DEFAULT_INGRESS_CONFIG, ...options.ingressPorts };
  const untilIngress = new Promise<IngressEndpoints>((resolve, reject) => {
    components.add('ingress-controller', (inner) => {
      const client = clientOf('ingress-controller', serviceAccountUser('ingress-controller'), inner);
      const { hostNetwork } = options;
      return runIngressController(inner, {
        client,
        config,
        ...(hostNetwork ? { acquirePort: (address) => publishPort(hostNetwork, address) } : {}),
        onReady: resolve,
      });
    });
    components.failure.catch(reject);
  });
  return { explanations, untilIngress };
}

/** Resolves when the nodes are Ready and pods can be created. */
async function startNodes(
  ctx: Context,
  { options, controlPlane, components, nodes, fleet, machines }: Parts & Pick<Running, 'fleet' | 'machines'>,
): Promise<void> {
  if (!options.isJoined) await nodes.adopt();
  components.add('simulated-kubelet', () => nodes.run());
  const missing = Math.max(0, (options.simulatedNodes ?? 0) - nodes.size);
  if (missing > 0)
    await nodes.add({ count: missing, ...(options.nodeTemplate ? { template: options.nodeTemplate } : {}) });
  const real = fleet ? await startFleet(fleet, { controlPlane, components, count: options.nodes ?? 0 }) : [];
  if (isJoinable(options)) machines.started = await startMachines(ctx, { options, controlPlane, components });
  const own = machines.started?.node ? [machines.started.node.name] : [];
  const { hostNetwork } = options;
  if (fleet && hostNetwork)
    components.add('node-ports', (inner) =>
      publishNodePorts(inner, {
        client: controlPlane.clientAs(componentUser('kube-proxy'), userAgent('node-ports'), inner.signal),
        network: hostNetwork,
        nodeAddresses: () => [...fleet.fabric.nodes.values()].flatMap(({ addresses }) => addresses.slice(0, 1)),
      }),
    );
  options.onProgress?.('nodes registered');
  if (!options.controllers.includes('*')) return;
  const client = controlPlane.clientAs(OWN_USER, OWN_CLIENT);
  await untilDefaultAccount(ctx, client);
  await untilNodesReady(ctx, client, [...nodes.names, ...real, ...own]);
}

interface Running {
  readonly ctx: Context;
  readonly controlPlane: ControlPlane;
  readonly components: Components;
  readonly stopping: AbortController;
  readonly fleet: NodeFleet | undefined;
  readonly machines: { started?: Machines };
  readonly keepContainers: boolean;
}

/** How long a part of the cluster may take to end; `k8ts down` waits 30 s. What it leaves, the next start removes. */
const STOP_MS = 8000;
const NODES_STOP_MS = 25_000;

/** A component that fails stops the whole cluster. */
async function untilFinished(running: Running): Promise<void> {
  const { ctx, controlPlane, components, stopping, fleet, machines, keepContainers } = running;
  let failure: { error: unknown } | undefined;
  components.failure.catch((error: unknown) => {
    failure ??= { error };
    stopping.abort(error);
  });
  await Promise.race([controlPlane.finished.catch(() => undefined), untilAborted(ctx.signal)]);
  stopping.abort(ctx.signal.reason);
  const runningComponents = (): string[] => components.states.filter(({ running }) => running).map(({ name }) => name);
  await endInOrder(ctx, [
    { name: 'API server', limitMs: STOP_MS, end: () => controlPlane.finished },
    // The agents of the machine's node do not end by themselves, and a component waits for them.
    { name: 'machines', limitMs: STOP_MS, end: async () => machines.started?.stop() },
    { name: 'components', limitMs: STOP_MS, end: () => components.wait(), running: runningComponents },
    { name: 'nodes', limitMs: NODES_STOP_MS, end: async () => (keepContainers ? fleet?.release() : fleet?.destroy()) },
  ]);
  if (failure) throw failure.error;
}

function controllerManagerConfig(options: ClusterOptions, { pki }: ControlPlane): typeof DEFAULT_CONFIG {
  const { dataDirectory, clusterCidr, addons = [], simulatedNodes = 0, nodes = 0, nodeMonitoring } = options;
  const ranges = 2 ** (NODE_CIDR_BITS - Number(clusterCidr.split(',')[0]!.split('/')[1]));
  return {
    ...DEFAULT_CONFIG,
    /** Sign what joining machines read, and remove expired bootstrap tokens. */
    controllers:
      addons.includes('join') && options.controllers.includes('*')
        ? ['bootstrap-signer-controller', 'token-cleaner-controller', ...options.controllers]
        : options.controllers,
    clusterCidr,
    allocateNodeCidrs: simulatedNodes + nodes <= ranges,
    serviceClusterIpRange: options.serviceClusterIpRange,
    rootCa: pki.ca.certificate,
    clusterSigningCertificate: pki.ca.certificate,
    clusterSigningKey: pki.ca.key,
    serviceAccountPrivateKey: pki.serviceAccount.privateKey,
    leaderElect: isShared(options),
    leaderElection: { ...DEFAULT_CONFIG.leaderElection, ...ELECTION_TIMING },
    ...(options.profile === 'cis' ? CIS_CONTROLLER_MANAGER : {}),
    ...(nodeMonitoring
      ? {
          nodeMonitorPeriodSeconds: nodeMonitoring.periodSeconds,
          nodeMonitorGracePeriodSeconds: nodeMonitoring.gracePeriodSeconds,
        }
      : {}),
    ...(addons.includes('storage')
      ? { hostPathProvisionerDirectory: path.join(dataDirectory ?? os.tmpdir(), 'volumes') }
      : {}),
  };
}
