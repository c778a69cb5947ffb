/** `k8ts why KIND/NAME`: why an object is not as its spec asks for. */
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { answerText, why, type SchedulingDecision } from '../glass/index.ts';
import { clusterClientFlags, withClusterClient } from './cluster-client.ts';
import { outputFlag } from './command.ts';
import type { RunningCluster } from './control-client.ts';
import { print } from './output.ts';

export const flags = { ...clusterClientFlags, ...outputFlag } as const satisfies FlagTable;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags, { positional: true });
  const { values, positional, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts why KIND/NAME: why an object is not as its spec asks for' }));
    return 0;
  }
  const reference = positional.join('/');
  if (positional.length === 0 || reference.split('/').length !== 2)
    throw new UsageError('usage: k8ts why KIND/NAME [-n NAMESPACE]');
  return withClusterClient(parsed, { name: 'why' }, async ({ ctx, client, namespace, here }) => {
    const answer = await why(reference, {
      client,
      namespace,
      now: () => ctx.clock.now(),
      signal: ctx.signal,
      ...(here ? { schedulingDecision: (pod) => decisionOf(here, pod) } : {}),
    });
    print(values.output, answer, answerText);
    return 0;
  });
}

export async function decisionOf(
  cluster: RunningCluster,
  { namespace, name }: { namespace: string; name: string },
): Promise<SchedulingDecision | undefined> {
  const query = `namespace=${encodeURIComponent(namespace)}&pod=${encodeURIComponent(name)}`;
  // A scheduler that has not tried the pod has no decision.
  return cluster.call<SchedulingDecision>('GET', `/explain?${query}`).catch(() => undefined);
}
