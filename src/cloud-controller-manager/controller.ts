/** What the three controllers are given. */
import type { Client, EventRecorder, InformerFactory } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';
import type { CloudProvider } from './provider.ts';
import type { CloudControllerManagerConfig } from './run.ts';

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
  /** Asks for informers and returns the loop; undefined when the provider cannot do this. */
  build(context: CloudControllerContext): (() => Promise<void>) | undefined;
}

/** Does `work` now and every `periodMs`, or sooner, until the signal aborts; a failure is logged and tried again. */
export async function periodically(
  { clock, signal, logger }: Context,
  periodMs: number,
  work: () => Promise<void>,
  sooner?: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    // Asked for before the work: what happens during it counts for the next turn.
    const early = sooner?.();
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) logger.error(error, 'The sync failed; it is tried again');
    }
    const turn = clock.sleep(periodMs, signal).catch(() => {});
    await (early ? Promise.race([early, turn]) : turn);
  }
}
