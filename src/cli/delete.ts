/** `k8ts delete`: stops a cluster, and removes its data and its entries in kubeconfigs. */
import fs from 'node:fs';
import path from 'node:path';
import { readClusterRecord, removeClusterData, removeMachineNode, type ClusterRecord } from '../cluster/index.ts';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import { createContext } from '../kernel/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { removeLeftovers, stopProcess } from './down.ts';
import { clusterName, removeFromKubeconfig } from './merge-kubeconfig.ts';
import { print } from './output.ts';
import { readProcessFile } from './process-file.ts';

export const flags = {
  ...dataDirFlag,
  wait: { kind: 'duration', default: 30_000, summary: 'How long stopping it may take' },
  ...outputFlag,
} as const satisfies FlagTable;

export async function run(argv: readonly string[]): Promise<number> {
  const { values, help, given } = parseFlags(argv, flags);
  if (help) {
    console.log(
      flagsHelp(flags, { usage: 'k8ts delete: stop a cluster, and remove its data and its entries in kubeconfigs' }),
    );
    return 0;
  }
  const directory = path.resolve(values['data-dir']);
  const running = readProcessFile(directory);
  const record = readClusterRecord(directory);
  if (!running && !record)
    throw new CommandError(`there is no cluster in ${directory}; name its directory with --data-dir`);
  if (running) await stopProcess(directory, running.pid, values.wait);
  await removeLeftovers(directory);
  if (record?.machineNode) await removeNode(directory, record.machineNode);
  const name = clusterName(given.has('data-dir') ? values['data-dir'] : undefined);
  const authority = readAuthority(directory);
  const kubeconfigs: string[] = [];
  for (const file of record?.kubeconfigs ?? [])
    if (authority !== undefined && (await removeFromKubeconfig(file, name, authority))) kubeconfigs.push(file);
  const left = await removeClusterData(directory);
  print(values.output, { directory, kubeconfigs, left }, () =>
    [
      `deleted the cluster in ${directory}`,
      ...kubeconfigs.map((file) => `removed its entries from ${file}`),
      ...(left.length > 0 ? [`${directory} stays: ${left.join(', ')} is not the cluster's`] : []),
    ].join('\n'),
  );
  return 0;
}

/** Ends the containers of the node that the machine itself is. */
async function removeNode(directory: string, node: NonNullable<ClusterRecord['machineNode']>): Promise<void> {
  await removeMachineNode(createContext(), { ...node, directory: path.join(directory, 'nodes', node.nodeName) });
}

/** The certificate of the cluster's CA: an entry with another one is of another cluster. */
function readAuthority(directory: string): string | undefined {
  try {
    return fs.readFileSync(path.join(directory, 'pki', 'ca.crt'), 'utf8');
  } catch {
    return undefined;
  }
}
