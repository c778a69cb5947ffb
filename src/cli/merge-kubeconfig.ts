/** Merges the cluster into a kubeconfig; other clusters stay. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { makeDirectoryDurably, writeFileDurably } from '../kernel/index.ts';
import { CommandError } from './command.ts';

interface Kubeconfig {
  clusters?: { name: string; cluster?: { 'certificate-authority-data'?: string } }[];
  users?: { name: string }[];
  contexts?: { name: string; context: { cluster: string; user: string } }[];
  'current-context'?: string;
}

/** The cluster's name in a kubeconfig: `k8ts`, or derived from a data directory other than the default. */
export function clusterName(directory: string | undefined): string {
  const base = directory === undefined ? '' : path.basename(directory).replaceAll(/[^\w.-]/g, '-');
  return base === '' || base === '.k8ts' ? 'k8ts' : `k8ts-${base}`;
}

export async function mergeKubeconfig(file: string, added: string, name: string): Promise<void> {
  const existing = await fs.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(`${file} cannot be read (${error.code}); choose another file with --kubeconfig`, {
      cause: error,
    });
  });
  const fresh = renamed(parse(added) as Kubeconfig, name);
  const text = stringify(existing === undefined || existing.trim() === '' ? fresh : merged(file, existing, fresh), {
    lineWidth: 0,
  });
  try {
    const owner = await ownerOf(file);
    const made = makeDirectoryDurably(path.dirname(file), 0o700);
    if (owner && made !== undefined) await fs.chown(made, owner.uid, owner.gid);
    await writeFileDurably(file, text, owner ? { owner } : {});
  } catch (error) {
    throw new CommandError(
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code}); choose another file with --kubeconfig`,
      { cause: error },
    );
  }
}

/**
 * Removes the entries of the cluster with this CA. False when there are none; a missing file, or one that is not a
 * kubeconfig, is not changed.
 */
export async function removeFromKubeconfig(file: string, name: string, authority: string): Promise<boolean> {
  const existing = await fs.readFile(file, 'utf8').catch(() => '');
  const known = parsed(existing);
  const data = Buffer.from(authority).toString('base64');
  const mine = known?.clusters?.find((entry) => entry.name === name);
  if (!known || mine?.cluster?.['certificate-authority-data'] !== data) return false;
  const isMine = ({ context }: { context: { cluster: string } }): boolean => context.cluster === name;
  const contexts = (known.contexts ?? []).filter(isMine);
  const rest: Kubeconfig = {
    ...known,
    clusters: known.clusters?.filter((entry) => entry !== mine) ?? [],
    contexts: known.contexts?.filter((entry) => !isMine(entry)) ?? [],
    users: known.users?.filter((user) => !contexts.some(({ context }) => context.user === user.name)) ?? [],
  };
  if (contexts.some((context) => context.name === known['current-context'])) rest['current-context'] = '';
  const owner = await ownerOf(file);
  await writeFileDurably(file, stringify(rest, { lineWidth: 0 }), owner ? { owner } : {});
  return true;
}

/** For root: an existing file keeps its owner, a new one belongs to the user who called sudo. */
async function ownerOf(file: string): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { SUDO_UID, SUDO_GID } = process.env;
  return fs
    .stat(file)
    .catch(() => (SUDO_UID && SUDO_GID ? { uid: Number(SUDO_UID), gid: Number(SUDO_GID) } : undefined));
}

/** The user's name includes the cluster: many clusters have a `kubernetes-admin`. */
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

/** Undefined for what is no kubeconfig. */
function parsed(text: string): Kubeconfig | undefined {
  try {
    const known: unknown = parse(text);
    return typeof known === 'object' && known !== null && 'clusters' in known ? (known as Kubeconfig) : undefined;
  } catch {
    return undefined;
  }
}

function merged(file: string, existing: string, added: Kubeconfig): Kubeconfig {
  const before = parsed(existing);
  if (before === undefined)
    throw new CommandError(
      `${file} exists and is not a kubeconfig; it was left as it is. Choose another file with --kubeconfig`,
    );
  const list = <T extends { name: string }>(old: readonly T[] | null | undefined, fresh: readonly T[] = []): T[] => [
    ...(old ?? []).filter((entry) => !fresh.some(({ name }) => name === entry.name)),
    ...fresh,
  ];
  return {
    ...before,
    clusters: list(before.clusters, added.clusters),
    users: list(before.users, added.users),
    contexts: list(before.contexts, added.contexts),
    'current-context': added['current-context'],
  };
}
