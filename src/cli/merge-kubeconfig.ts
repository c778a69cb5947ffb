/** Puts the cluster into a kubeconfig that may hold others: those stay as they are. */
import fs from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { CommandError } from './command.ts';

interface Named {
  readonly name: string;
}

interface Kubeconfig {
  clusters?: Named[];
  users?: Named[];
  contexts?: Named[];
  'current-context'?: string;
}

export async function mergeKubeconfig(file: string, added: string): Promise<void> {
  const existing = await fs.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const text = existing === undefined || existing.trim() === '' ? added : stringify(merged(file, existing, parse(added) as Kubeconfig), { lineWidth: 0 });
  await fs.writeFile(`${file}.k8ts`, text, { mode: 0o600 });
  await fs.rename(`${file}.k8ts`, file);
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
  const list = (name: 'clusters' | 'users' | 'contexts'): Named[] => [...(before[name] ?? []).filter((old) => !added[name]?.some((fresh) => fresh.name === old.name)), ...(added[name] ?? [])];
  return { ...before, clusters: list('clusters'), users: list('users'), contexts: list('contexts'), 'current-context': added['current-context'] };
}
