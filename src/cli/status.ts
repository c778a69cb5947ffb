/** `k8ts status`: how a cluster is. */
import type { ClusterStatus } from '../cluster/index.ts';
import { flagsHelp, parseFlags, type FlagTable } from '../kernel/index.ts';
import { dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { green, print, red, table } from './output.ts';

export const flags = { ...dataDirFlag, ...outputFlag } as const satisfies FlagTable;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags);
  const { values, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts status: tell how a cluster is' }));
    return 0;
  }
  const cluster = runningCluster(parsed);
  const status = await cluster.call<ClusterStatus>('GET', '/status');
  print(values.output, { directory: cluster.directory, ...status }, text);
  return 0;
}

function text({ directory, pid, server, kubeconfig, uptimeSeconds, residentBytes, components, nodes, objects }: ClusterStatus & { directory: string }): string {
  const ready = nodes.filter((node) => node.ready).length;
  const simulated = nodes.filter(({ kind }) => kind === 'simulated').length;
  const rows = [
    ['API server', server],
    ['kubeconfig', kubeconfig ?? 'none was written'],
    ['directory', directory],
    ['process', `${pid}, running for ${uptimeSeconds} s, ${Math.round(residentBytes / 2 ** 20)} MB`],
    ['nodes', `${ready} of ${nodes.length} ready${simulated > 0 ? `, ${simulated} simulated` : ''}`],
    ['objects', Object.entries(objects).map(([name, count]) => `${count} ${name}`).join(', ')],
    ...components.map(({ name, running }) => [name, running ? green('running') : red('stopped')]),
  ];
  return table(rows);
}
