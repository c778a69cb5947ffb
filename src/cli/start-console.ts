/** Starts the web console with `why` of glass, for `k8ts up` and `k8ts console`. */
import type { ClientConfig } from '../client/index.ts';
import { serveConsole, type Console } from '../console/index.ts';
import { why, type SchedulingDecision } from '../glass/index.ts';
import type { Context } from '../kernel/index.ts';

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

export interface StartConsoleOptions {
  readonly config: ClientConfig;
  readonly port: number;
  readonly schedulingDecision?: (pod: PodName) => Promise<SchedulingDecision | undefined>;
}

export function startConsole(ctx: Context, options: StartConsoleOptions): Promise<Console> {
  const { config, port, schedulingDecision } = options;
  return serveConsole(ctx, {
    config,
    port,
    why: ({ reference, namespace, client, asKubeconfigUser, signal }) =>
      why(reference, {
        client,
        namespace: namespace || config.namespace,
        now: () => ctx.clock.now(),
        signal,
        // The scheduler tells about all nodes, so only the cluster's own user sees its decisions.
        ...(schedulingDecision && asKubeconfigUser ? { schedulingDecision } : {}),
      }),
  });
}
