/** `k8ts token create|list|delete`: bootstrap tokens, with which other machines join the cluster. */
import { isNotFound } from '../client/index.ts';
import {
  caHash,
  createBootstrapToken,
  deleteBootstrapToken,
  listBootstrapTokens,
  readClusterConfig,
} from '../cluster/index.ts';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { clusterClientFlags, withClusterClient, type ClusterClient } from './cluster-client.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { print, table } from './output.ts';

export const flags = {
  ttl: {
    kind: 'duration',
    summary: 'How long the token can be used; 0 for ever (default 24h, with --control-plane 2h)',
  },
  'control-plane': { kind: 'switch', summary: 'A token with which a machine becomes another server' },
  description: { kind: 'text', default: '', summary: 'What the token is for' },
  kubeconfig: clusterClientFlags.kubeconfig,
  ...dataDirFlag,
  ...outputFlag,
} as const satisfies FlagTable;

export const verbs = ['create', 'list', 'delete'] as const;

const USAGE = `k8ts token: bootstrap tokens, with which other machines join the cluster

  k8ts token create [--ttl 24h]
  k8ts token create --control-plane [--ttl 2h]    for another server; its line has a key that opens the cluster's keys
  k8ts token list
  k8ts token delete ID...`;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags, { positional: true });
  const { values, positional, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const [verb = 'list', ...ids] = positional;
  if (!(verbs as readonly string[]).includes(verb)) throw new UsageError(`unknown command "token ${verb}"\n\n${USAGE}`);
  if (verb === 'delete' && ids.length === 0) throw new UsageError('usage: k8ts token delete ID...');
  return withClusterClient(parsed, {}, async (cluster) => {
    if (verb === 'create') {
      const { description, 'control-plane': isServer } = values;
      const ttlMs = values.ttl ?? (isServer ? 2 : 24) * 3600_000;
      const line = isServer ? await serverLine(cluster, ttlMs) : await joinLine(cluster, { ttlMs, description });
      print(values.output, line, ({ command }) => command);
    } else if (verb === 'list') {
      const tokens = await listBootstrapTokens(cluster.client);
      print(values.output, tokens, (all) =>
        table([
          ['ID', 'EXPIRES', 'USAGES', 'DESCRIPTION'],
          ...all.map(({ id, expiration = 'never', usages, description = '' }) => [
            id,
            expiration,
            usages.join(','),
            description,
          ]),
        ]),
      );
    } else {
      for (const id of ids) await deleteToken(cluster, id);
      print(values.output, { deleted: ids }, () => `deleted ${ids.join(', ')}`);
    }
    return 0;
  });
}

/** Creates a token; the whole line is for the other machine. */
async function joinLine(
  cluster: ClusterClient,
  options: { readonly ttlMs: number; readonly description: string },
): Promise<{ token: string; command: string }> {
  const server = await serverOf(cluster);
  const { id, secret } = await createBootstrapToken(cluster.ctx, cluster.client, options);
  const token = `${id}.${secret}`;
  return { token, command: `k8ts join ${server} --token ${token}${pinOf(cluster)}` };
}

/** The running server seals the cluster's keys; the key that opens them is in this line alone. */
async function serverLine(
  cluster: ClusterClient,
  ttlMs: number,
): Promise<{ token: string; certificateKey: string; command: string }> {
  if (cluster.here === undefined)
    throw new CommandError('the keys of a cluster are on its servers: run this on one of them, with its --data-dir');
  if (ttlMs === 0) throw new UsageError('a token for servers cannot last for ever');
  const server = await serverOf(cluster);
  const { token, certificateKey } = await cluster.here.call<{ token: string; certificateKey: string }>(
    'POST',
    '/server-tokens',
    { ttlMs },
  );
  const command = `k8ts join ${server} --token ${token}${pinOf(cluster)} --control-plane --certificate-key ${certificateKey}`;
  return { token, certificateKey, command };
}

const pinOf = ({ config }: ClusterClient): string => (config.ca === undefined ? '' : ` --ca-hash ${caHash(config.ca)}`);

/** This machine's server where there is one, which answers. */
async function serverOf({ client, config }: ClusterClient): Promise<string> {
  const { servers } = await readClusterConfig(client).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new CommandError(
      'machines cannot join this cluster: its API server listens for this machine alone, or its nodes are namespaces of it; start it with --bind-address ADDRESS and without --nodes',
    );
  });
  return servers.find((server) => server === config.server) ?? servers[0]!;
}

async function deleteToken({ client }: ClusterClient, id: string): Promise<void> {
  await deleteBootstrapToken(client, id.split('.')[0]!).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new CommandError(`there is no token ${id}; "k8ts token list" lists them`);
  });
}
