/** `k8ts simulate nodes N`: sets the number of simulated nodes. */
import type { ClusterStatus } from '../cluster/index.ts';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { wholeNumber } from './nodes.ts';
import { print } from './output.ts';

export const flags = { ...dataDirFlag, ...outputFlag } as const satisfies FlagTable;
export const verbs = ['nodes'] as const;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags, { positional: true });
  const { values, positional, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts simulate nodes N: set the number of simulated nodes' }));
    return 0;
  }
  const [what, text, ...rest] = positional;
  if (what !== 'nodes' || text === undefined || rest.length > 0) throw new UsageError('usage: k8ts simulate nodes N');
  const wanted = wholeNumber(text);
  const cluster = runningCluster(parsed);
  const { nodes } = await cluster.call<ClusterStatus>('GET', '/status');
  const known = nodes.filter(({ kind }) => kind === 'simulated').map(({ name }) => name);
  const surplus = known.slice(wanted);
  if (surplus.length > 0)
    await cluster.call('DELETE', `/nodes?${surplus.map((name) => `name=${encodeURIComponent(name)}`).join('&')}`);
  const { added } =
    wanted > known.length
      ? await cluster.call<{ added: string[] }>('POST', '/nodes', { count: wanted - known.length })
      : { added: [] };
  print(
    values.output,
    { nodes: wanted, added, removed: surplus },
    () => `${wanted} simulated nodes: ${added.length} added, ${surplus.length} removed`,
  );
  return 0;
}
