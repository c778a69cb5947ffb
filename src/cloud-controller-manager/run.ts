/** The cloud controller manager: shared informers, leader election, and each enabled controller's loop. */
import { createCoreEventRecorder, InformerFactory, runWithLeaderElection, type Client } from '../client/index.ts';
import { childContext, RunGroup, type Context } from '../kernel/index.ts';
import { cloudNodeLifecycleController } from './cloud-node-lifecycle.ts';
import { cloudNodeController } from './cloud-node.ts';
import type { CloudControllerManagerConfig } from './config.ts';
import type { CloudController } from './controller.ts';
import type { CloudProvider } from './provider.ts';
import { routeController } from './route.ts';
import { serviceController } from './service.ts';

/** Every cloud controller, by its name in `--controllers`. */
const CLOUD_CONTROLLERS = {
  'cloud-node-controller': cloudNodeController,
  'cloud-node-lifecycle-controller': cloudNodeLifecycleController,
  'node-route-controller': routeController,
  'service-lb-controller': serviceController,
} as const satisfies Record<string, CloudController>;

interface CloudControllerManagerOptions {
  readonly client: Client;
  readonly provider: CloudProvider;
  readonly config: CloudControllerManagerConfig;
  /** The holder identity of this process in leader elections. */
  readonly identity: string;
}

export async function run(ctx: Context, options: CloudControllerManagerOptions): Promise<void> {
  if (!options.config.leaderElect) return lead(ctx, options);
  const lock = {
    client: options.client,
    identity: options.identity,
    namespace: 'kube-system',
    name: 'cloud-controller-manager',
    component: 'cloud-controller-manager',
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
      ctx.logger.warn('The cloud provider does not support this controller', {
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

const isEnabled = (name: string, list: readonly string[]): boolean =>
  !list.includes(`-${name}`) && (list.includes('*') || list.includes(name));
