/** The manager: shared informers, leader election, and each controller's loop. */
import { createCoreEventRecorder, InformerFactory, runWithLeaderElection, type Client } from '../client/index.ts';
import { childContext, RunGroup, type Context } from '../kernel/index.ts';
import { cloudNodeLifecycle } from './cloud-node-lifecycle.ts';
import { cloudNode } from './cloud-node.ts';
import type { CloudController } from './controller.ts';
import type { CloudProvider } from './provider.ts';
import { route } from './route.ts';
import { service } from './service.ts';

/** By the names that --controllers takes. */
export const CLOUD_CONTROLLERS = {
  'cloud-node-controller': cloudNode,
  'cloud-node-lifecycle-controller': cloudNodeLifecycle,
  'node-route-controller': route,
  'service-lb-controller': service,
} as const satisfies Record<string, CloudController>;

export interface CloudControllerManagerConfig {
  /** As --controllers. */
  readonly controllers: readonly string[];
  readonly clusterName: string;
  readonly configureCloudRoutes: boolean;
  readonly nodeMonitorPeriodMs: number;
  readonly nodeStatusUpdateFrequencyMs: number;
  readonly routeReconciliationPeriodMs: number;
  readonly concurrentServiceSyncs: number;
  readonly leaderElect: boolean;
}

export const DEFAULT_CLOUD_CONFIG: CloudControllerManagerConfig = {
  controllers: ['*'],
  clusterName: 'kubernetes',
  configureCloudRoutes: true,
  nodeMonitorPeriodMs: 5000,
  nodeStatusUpdateFrequencyMs: 300_000,
  routeReconciliationPeriodMs: 10_000,
  concurrentServiceSyncs: 1,
  leaderElect: true,
};

export interface CloudControllerManagerOptions {
  readonly client: Client;
  readonly provider: CloudProvider;
  readonly config: CloudControllerManagerConfig;
  /** Who this process is in leader elections. */
  readonly identity: string;
}

export async function run(ctx: Context, options: CloudControllerManagerOptions): Promise<void> {
  if (!options.config.leaderElect) return lead(ctx, options);
  const lock = {
    client: options.client,
    identity: options.identity,
    namespace: 'kube-system',
    name: 'cloud-controller-manager',
  };
  await runWithLeaderElection(ctx, lock, (signal) => lead(childContext(ctx, 'leading', signal), options));
}

async function lead(ctx: Context, { client, provider, config }: CloudControllerManagerOptions): Promise<void> {
  const group = new RunGroup(ctx);
  const inner = childContext(ctx, 'controllers', group.signal);
  const informers = new InformerFactory(inner, { client });
  for (const [name, controller] of Object.entries<CloudController>(CLOUD_CONTROLLERS)) {
    if (!isEnabled(name, config.controllers)) continue;
    const recorder = createCoreEventRecorder(inner, client, { component: controller.eventSource });
    const loop = controller.build({
      ...inner,
      logger: inner.logger.named(name),
      client,
      informers,
      recorder,
      provider,
      config,
    });
    if (!loop) {
      ctx.logger.warn('The cloud provider has no part for this controller', {
        provider: provider.name,
        controller: name,
      });
      continue;
    }
    group.start(`${name} events`, (signal) => recorder.run(signal));
    group.start(name, async () => {
      await informers.waitForSync(group.signal);
      await loop();
    });
  }
  if (provider.run) group.start(`provider ${provider.name}`, (signal) => provider.run!(signal));
  group.start('informers', () => informers.run());
  await group.wait();
}

/** `*` is all, `-name` leaves one out, `name` is one. */
const isEnabled = (name: string, list: readonly string[]): boolean =>
  !list.includes(`-${name}`) && (list.includes('*') || list.includes(name));
