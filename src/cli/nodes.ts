/** `k8ts nodes add|remove|list`: the nodes of a running cluster. */
import { nearest } from '../base/index.ts';
import type { ClusterStatus } from '../cluster/index.ts';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { print, table } from './output.ts';

export const flags = {
  ...dataDirFlag,
  simulated: { kind: 'switch', summary: 'Add nodes that run no containers' },
  prefix: { kind: 'text', default: 'sim', summary: 'Name prefix of simulated nodes' },
  ...outputFlag,
} as const satisfies FlagTable;

export const verbs = ['add', 'remove', 'list'] as const;

const USAGE = `k8ts nodes: the nodes of a running cluster

  k8ts nodes list
  k8ts nodes add [N] [--simulated]
  k8ts nodes remove NAME...`;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags, { positional: true });
  const { values, positional, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const [verb = 'list', ...names] = positional;
  if (!(verbs as readonly string[]).includes(verb)) {
    const near = nearest(verb, verbs);
    throw new UsageError(
      `unknown command "nodes ${verb}"; ${near ? `did you mean nodes ${near}?` : 'use nodes list, add or remove'}`,
    );
  }
  const cluster = runningCluster(parsed);
  switch (verb) {
    case 'list': {
      const { nodes } = await cluster.call<ClusterStatus>('GET', '/status');
      print(values.output, nodes, (all) =>
        table([['NAME', 'KIND', 'READY'], ...all.map(({ name, kind, ready }) => [name, kind, String(ready)])]),
      );
      return 0;
    }
    case 'add': {
      const count = wholeNumber(names[0] ?? '1');
      const added = await cluster.call<{ added: string[] }>('POST', '/nodes', {
        count,
        ...(values.simulated ? { prefix: values.prefix } : { real: true }),
      });
      print(
        values.output,
        added,
        ({ added: all }) => `added ${all.length === 1 ? all[0] : `${all.length} nodes, ${all[0]} to ${all.at(-1)}`}`,
      );
      return 0;
    }
    default: {
      if (names.length === 0) throw new UsageError('usage: k8ts nodes remove NAME...');
      const { nodes: known } = await cluster.call<ClusterStatus>('GET', '/status');
      const unknown = names.find((name) => !known.some((node) => node.name === name));
      if (unknown !== undefined) throw new CommandError(`there is no node ${unknown}; "k8ts nodes list" lists them`);
      const removed = await cluster.call<{ removed: string[] }>(
        'DELETE',
        `/nodes?${names.map((name) => `name=${encodeURIComponent(name)}`).join('&')}`,
      );
      print(values.output, removed, ({ removed: all }) => `removed ${all.join(', ')}`);
      return 0;
    }
  }
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`${JSON.stringify(text)} is not a number of nodes`);
  return Number(text);
}
