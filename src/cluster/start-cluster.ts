/** A cluster in this process: the control plane, its components, and its nodes. */
import os from 'node:os';
import path from 'node:path';
import type { Client } from '../client/index.ts';
import { DEFAULT_CONFIG, run as runControllerManager } from '../controller-manager/index.ts';
import type { Context } from '../kernel/index.ts';
import { DEFAULT_CONFIG as DEFAULT_SCHEDULER_CONFIG, run as runScheduler } from '../scheduler/index.ts';
import { SimulatedNodes } from '../simulated-kubelet/index.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { Components } from './components.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { untilDefaultAccount, untilNodesReady } from './until-ready.ts';

export interface Cluster extends Omit<ControlPlane, 'finished'> {
  readonly components: Components;
  readonly simulatedNodes: SimulatedNodes;
  /** Resolves when everything has ended; rejects when a component failed. */
  readonly finished: Promise<void>;
}

const MASTERS = ['system:masters', 'system:authenticated'];
/** The masks of the pod ranges of nodes: with more nodes than ranges, none get one. */
const NODE_CIDR_BITS = 24;

/** Resolves when the cluster can be used; it ends with the context. */
export async function startCluster(ctx: Context, options: ClusterOptions): Promise<Cluster> {
  let nodes: SimulatedNodes | undefined;
  const controlPlane = await startControlPlane(ctx, options, (name) => nodes?.connectTo(name));
  const components = new Components(ctx);
  const clientFor = (user: string, groups: readonly string[], signal?: AbortSignal): Client =>
    controlPlane.clientAs({ name: user, groups }, `${user.replace(/^system:/, '')}/v1.36.4`, signal);

  if (options.controllers.length > 0) {
    components.add('kube-controller-manager', (inner) =>
      runControllerManager(inner, { client: clientFor('system:kube-controller-manager', MASTERS, inner.signal), config: controllerManagerConfig(options, controlPlane), identity: os.hostname() }),
    );
  }
  if (options.scheduler !== false) {
    components.add('kube-scheduler', (inner) =>
      runScheduler(inner, {
        client: clientFor('system:kube-scheduler', ['system:authenticated'], inner.signal),
        config: { ...DEFAULT_SCHEDULER_CONFIG, leaderElect: false },
        identity: os.hostname(),
      }),
    );
  }
  nodes = new SimulatedNodes(ctx, { client: clientFor('system:simulated-kubelet', MASTERS) });
  const simulatedNodes = nodes;
  components.add('simulated-kubelet', () => simulatedNodes.run());
  const missing = Math.max(0, (options.simulatedNodes ?? 0) - simulatedNodes.size);
  const added = missing > 0 ? await simulatedNodes.add({ count: missing, ...(options.nodeTemplate ? { template: options.nodeTemplate } : {}) }) : [];

  if (options.controllers.includes('*')) {
    await untilDefaultAccount(ctx, controlPlane.apiServer);
    if (added.length > 0) await untilNodesReady(ctx, controlPlane.apiServer, added);
  }
  return { ...controlPlane, components, simulatedNodes, finished: untilFinished(ctx, controlPlane, components) };
}

async function untilFinished(ctx: Context, controlPlane: ControlPlane, components: Components): Promise<void> {
  const aborted = new Promise<void>((resolve) => (ctx.signal.aborted ? resolve() : ctx.signal.addEventListener('abort', () => resolve(), { once: true })));
  await Promise.race([aborted, controlPlane.finished, components.failure]);
  await components.wait();
  await controlPlane.finished;
}

function controllerManagerConfig(options: ClusterOptions, { pki }: ControlPlane): typeof DEFAULT_CONFIG {
  const { dataDirectory, clusterCidr, addons = [], simulatedNodes = 0, nodes = 0 } = options;
  const ranges = 2 ** (NODE_CIDR_BITS - Number(clusterCidr.split(',')[0]!.split('/')[1]));
  return {
    ...DEFAULT_CONFIG,
    controllers: options.controllers,
    clusterCidr,
    allocateNodeCidrs: simulatedNodes + nodes <= ranges,
    serviceClusterIpRange: options.serviceClusterIpRange,
    rootCa: pki.ca.certificate,
    clusterSigningCertificate: pki.ca.certificate,
    clusterSigningKey: pki.ca.key,
    serviceAccountPrivateKey: pki.serviceAccount.privateKey,
    leaderElect: false,
    ...(addons.includes('storage') ? { hostPathProvisionerDirectory: path.join(dataDirectory ?? os.tmpdir(), 'volumes') } : {}),
  };
}
