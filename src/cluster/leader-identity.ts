/** Leader election among the servers of one cluster, which share a store. */
import { createHash } from 'node:crypto';
import os from 'node:os';
import { LeadershipLost } from '../client/index.ts';
import type { Context, Random } from '../kernel/index.ts';
import type { ClusterOptions } from './cluster-options.ts';

/** Shorter than upstream's: another leads within fifteen seconds of the last renewal, elections of etcd included. */
export const ELECTION_TIMING = { leaseDurationMs: 10_000, renewDeadlineMs: 7000, retryPeriodMs: 2000 };

const PAUSE_MS = 500;

/**
 * The same after a restart, so that a leader that was killed leads again without waiting for its own lease. One process at
 * a time has a data directory.
 */
export function leaderIdentity(
  { machineNode, dataDirectory }: Pick<ClusterOptions, 'machineNode' | 'dataDirectory'>,
  random: Random,
): string {
  const host = machineNode?.nodeName ?? os.hostname();
  if (dataDirectory === undefined) return `${host}_${random.uid()}`;
  return `${host}_${createHash('sha256').update(dataDirectory).digest('hex').slice(0, 8)}`;
}

/** Upstream's programs end when they no longer lead, and are started again; here the component is. */
export const electedAgain =
  (run: (ctx: Context) => Promise<void>) =>
  async (ctx: Context): Promise<void> => {
    for (;;) {
      try {
        return await run(ctx);
      } catch (error) {
        if (!(error instanceof LeadershipLost) || ctx.signal.aborted) throw error;
        ctx.logger.warn('No longer the leader; another one may be', { err: error.message });
      }
      await ctx.clock.sleep(PAUSE_MS, ctx.signal);
    }
  };
