/** Puts the cluster into a kubeconfig that may hold others: those stay as they are. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { CommandError } from './command.ts';

interface Kubeconfig {
  clusters?: { name: string }[];
  users?: { name: string }[];
  contexts?: { name: string; context: { cluster: string; user: string } }[];
  'current-context'?: string;
}

/** What the cluster is called beside others: `k8ts`, or by its data directory where that is not the usual one. */
export function clusterName(directory: string | undefined): string {
  const base = directory === undefined ? '' : path.basename(directory).replaceAll(/[^\w.-]/g, '-');
  return base === '' || base === '.k8ts' ? 'k8ts' : `k8ts-${base}`;
}

export async function mergeKubeconfig(file: string, added: string, name: string): Promise<void> {
  const existing = await fs.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const fresh = renamed(parse(added) as Kubeconfig, name);
  const text = stringify(existing === undefined || existing.trim() === '' ? fresh : merged(file, existing, fresh), { lineWidth: 0 });
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await fs.writeFile(`${file}.k8ts`, text, { mode: 0o600 });
  await fs.rename(`${file}.k8ts`, file);
}

/** A user is named by the cluster too: many a cluster has a user `kubernetes-admin`, with other keys. */
function renamed(config: Kubeconfig, name: string): Kubeconfig {
  const user = `${name}-admin`;
  const context = `kubernetes-admin@${name}`;
  return {
    ...config,
    clusters: config.clusters?.map((cluster) => ({ ...cluster, name })) ?? [],
    users: config.users?.map((known) => ({ ...known, name: user })) ?? [],
    contexts: [{ name: context, context: { cluster: name, user } }],
    'current-context': context,
  };
}

function merged(file: string, existing: string, added: Kubeconfig): Kubeconfig {
  let known: unknown;
  try {
    known = parse(existing);
  } catch {
    known = undefined;
  }
  if (typeof known !== 'object' || known === null || !('clusters' in known)) throw new CommandError(`${file} exists and is not a kubeconfig; it was left as it is. Choose another file with --kubeconfig`);
  const before = known as Kubeconfig;
  const list = <T extends { name: string }>(old: readonly T[] | null | undefined, fresh: readonly T[] = []): T[] => [...(old ?? []).filter((entry) => !fresh.some(({ name }) => name === entry.name)), ...fresh];
  return { ...before, clusters: list(before.clusters, added.clusters), users: list(before.users, added.users), contexts: list(before.contexts, added.contexts), 'current-context': added['current-context'] };
}
