import type { Client } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';

export interface SchedulerOptions {
  readonly client: Client;
  readonly config: SchedulerConfiguration;
  /** Who this process is in leader elections. */
  readonly identity: string;
}

export interface SchedulerConfiguration {
  readonly leaderElect: boolean;
}

export const DEFAULT_CONFIG: SchedulerConfiguration = { leaderElect: true };

export async function run(ctx: Context, _options: SchedulerOptions): Promise<void> {
  await new Promise<void>((resolve) => {
    if (ctx.signal.aborted) resolve();
    else ctx.signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
