/** The controller manager: shared informers, leader election, and each enabled controller's loop. */
import {
  createCoreEventRecorder,
  InformerFactory,
  runAsCandidate,
  type CandidateOptions,
  type Client,
} from '../client/index.ts';
import { childContext, RunGroup, type Context } from '../kernel/index.ts';
import type { ControllerManagerConfig } from './config.ts';
import type { ControllerContext } from './controller.ts';
import { DiscoveredResources } from './discovered-resources.ts';
import { EventBudget } from './event-budget.ts';
import { enabledControllers } from './registry.ts';

interface ControllerManagerOptions extends CandidateOptions {
  readonly config: ControllerManagerConfig;
  /** A client with the ServiceAccount of a controller; without it, all use the manager's client. */
  readonly clientFor?: (controller: string) => Client;
  /** Gets the name of each controller when it starts. */
  readonly onStarted?: (controller: string) => void;
}

export function run(ctx: Context, options: ControllerManagerOptions): Promise<void> {
  return runAsCandidate(ctx, 'kube-controller-manager', options, (leading) => lead(leading, options));
}

async function lead(ctx: Context, options: ControllerManagerOptions): Promise<void> {
  const group = new RunGroup(ctx);
  const inner = childContext(ctx, 'controllers', group.signal);
  const informers = new InformerFactory(inner, { client: options.client });
  const discovered = new DiscoveredResources(inner, { client: options.client, informers });
  for (const controller of enabledControllers(options.config.controllers)) {
    const client = options.clientFor?.(controller.name) ?? options.client;
    const recorder = createCoreEventRecorder(
      inner,
      client,
      { component: controller.eventSource ?? controller.name },
      new EventBudget(inner.clock),
    );
    const context: ControllerContext = {
      ...inner,
      logger: inner.logger.named(controller.name),
      client,
      informers,
      discovered,
      recorder,
      config: options.config,
    };
    const loop = controller.build(context);
    options.onStarted?.(controller.name);
    group.start(`${controller.name} events`, (signal) => recorder.run(signal));
    group.start(controller.name, async () => {
      await informers.waitForSync(group.signal);
      await loop();
    });
  }
  group.start('informers', () => informers.run());
  group.start('discovered resources', () => discovered.run());
  await group.wait();
}
