import type { Socket } from 'node:net';
import path from 'node:path';
import type { Client } from '../src/client/index.ts';
import { childContext, RunGroup, type Context } from '../src/kernel/index.ts';
import {
  DEFAULT_KUBELET_CONFIGURATION,
  run as runKubelet,
  type KubeletConfig,
  type KubeletOptions,
  type RunningKubelet,
} from '../src/kubelet/index.ts';
import { connectIn } from '../src/net/netns/index.ts';
import type { NodeRuntime, StartRuntime } from './node-runtimes.ts';

/** A node that runs containers, in a network namespace of its own: a container runtime and a kubelet in this process. */
export interface RealNodeOptions {
  readonly name: string;
  /** As `system:node:NAME` of the group system:nodes. */
  readonly client: Client;
  readonly dataDirectory: string;
  readonly stateDirectory: string;
  readonly netns: string;
  readonly startRuntime: StartRuntime;
  readonly cgroupRoot: string;
  /** PEM; clients of the kubelet with a certificate of this CA are users. */
  readonly clientCa: string;
  readonly kubelet?: Partial<KubeletConfig>;
  readonly periods?: KubeletOptions['periods'];
}

export interface RealNode {
  readonly runtime: NodeRuntime;
  readonly kubelet: RunningKubelet;
  connect(): Socket;
  /** Ends kubelet and runtime; the containers go on. */
  stop(): Promise<void>;
}

/** Resolves when the node is registered and works on its pods. */
export async function startRealNode(outer: Context, options: RealNodeOptions): Promise<RealNode> {
  const ctx = childContext(outer, options.name);
  const { netns, dataDirectory, stateDirectory, cgroupRoot } = options;
  const runtime = await options.startRuntime(ctx, { dataDirectory, stateDirectory, netns, cgroupParent: cgroupRoot });
  const group = new RunGroup({ signal: ctx.signal, logger: ctx.logger });
  const config: KubeletConfig = {
    ...DEFAULT_KUBELET_CONFIGURATION,
    nodeName: options.name,
    rootDirectory: path.join(dataDirectory, 'kubelet'),
    podLogsDir: path.join(dataDirectory, 'logs', 'pods'),
    cgroupRoot,
    nodeAddresses: ['10.64.0.2'],
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    serializeImagePulls: false,
    nodeNetns: netns,
    ...(runtime.streamsInNetns ? { runtimeNetns: netns } : {}),
    serving: { clientCa: options.clientCa },
    ...options.kubelet,
  };
  const kubelet = await new Promise<RunningKubelet>((resolve, reject) => {
    group.start('kubelet', (signal) =>
      runKubelet(
        { ...ctx, signal },
        {
          client: options.client,
          runtime: runtime.cri,
          config,
          onReady: resolve,
          ...(options.periods === undefined ? {} : { periods: options.periods }),
        },
      ),
    );
    group.wait().then(() => reject(new Error('the kubelet ended before it was ready')), reject);
  });
  return {
    runtime,
    kubelet,
    connect: () => connectIn({ netns, host: '127.0.0.1', port: kubelet.port }),
    async stop() {
      await group.close(new Error('stopped')).catch(() => {});
      await runtime.stop();
    },
  };
}
