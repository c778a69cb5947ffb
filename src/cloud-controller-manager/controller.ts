/** What a cloud controller is, and the context that each of them gets. */
import type { Client, EventRecorder, InformerFactory } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';
import type { CloudControllerManagerConfig } from './config.ts';
import type { CloudProvider } from './provider.ts';

export interface CloudControllerContext extends Context {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly recorder: EventRecorder;
  readonly provider: CloudProvider;
  readonly config: CloudControllerManagerConfig;
}

export interface CloudController {
  /** The component name of its events. */
  readonly eventSource: string;
  /** Requests informers and returns the loop; undefined when the provider does not support it. */
  build(context: CloudControllerContext): (() => Promise<void>) | undefined;
}

/** Calls `work` now and every `periodMs`, or as soon as `wakeUp` resolves. A failure is logged; the next call retries. */
export async function periodically(
  { clock, signal, logger }: Context,
  periodMs: number,
  work: () => Promise<void>,
  wakeUp?: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    // Created before the work, so that a change during the work causes another call.
    const early = wakeUp?.();
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) logger.error(error, 'Sync failed, will retry');
    }
    const period = clock.sleep(periodMs, signal).catch(() => {});
    await (early ? Promise.race([early, period]) : period);
  }
}
