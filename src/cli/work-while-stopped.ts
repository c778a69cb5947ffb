/** Asks a running cluster for work that it has to be stopped for, and waits until it is ready again. */
import type { ClusterStatus } from '../cluster/index.ts';
import { RealClock } from '../kernel/index.ts';
import { CommandError } from './command.ts';
import { runningCluster } from './control-client.ts';
import { Progress } from './output.ts';
import { readProcessFile } from './process-file.ts';

const POLL_MS = 300;

type Parsed = Parameters<typeof runningCluster>[0] & { readonly values: { readonly wait: number } };

/** The process stops the cluster, does the work, and starts it again. What it did, in words. */
export async function workWhileStopped(parsed: Parsed, route: string, request: object): Promise<string> {
  const cluster = runningCluster(parsed);
  const before = JSON.stringify((await cluster.call<ClusterStatus>('GET', '/status')).lastWork);
  await cluster.call('POST', route, request);
  const clock = new RealClock();
  const limit = clock.monotonic() + parsed.values.wait;
  const progress = new Progress();
  try {
    for (let wasAway = false; clock.monotonic() < limit;) {
      progress.show(wasAway ? 'starting the cluster again' : 'stopping the cluster');
      await clock.sleep(POLL_MS);
      if (!readProcessFile(cluster.directory))
        throw new CommandError(`the cluster's process ended; start it again: its store is whole`);
      const status = await cluster.call<ClusterStatus>('GET', '/status').catch(() => undefined);
      wasAway ||= status === undefined;
      const outcome = status?.lastWork;
      if (outcome === undefined || (!wasAway && JSON.stringify(outcome) === before)) continue;
      if ('error' in outcome) throw new CommandError(outcome.error);
      return outcome.done;
    }
  } finally {
    progress.clear();
  }
  throw new CommandError(`the cluster was not ready again after ${parsed.values.wait / 1000} s`);
}
