/**
 * A kubeconfig of a cluster that is no more: a component would ask for ever and be refused every time, so it is told at once.
 * A server that does not answer is another matter: it may come.
 */
import fs from 'node:fs';
import { connect, loadKubeconfig } from '../client/index.ts';
import { createContext } from '../kernel/index.ts';
import { CommandError } from './command.ts';
import { OLD_KUBECONFIG, isOldKubeconfig } from './explain-error.ts';

const PATIENCE_MS = 3000;

/** Looks at the file that `--kubeconfig` names in the arguments of a component, where there is such a file. */
export async function checkKubeconfig(argv: readonly string[]): Promise<void> {
  const at = argv.findIndex((word) => /^--kubeconfig(?:=|$)/.test(word));
  const file = argv[at]?.includes('=') ? argv[at].slice(argv[at].indexOf('=') + 1) : argv[at + 1];
  // A kubelet that can ask for new credentials will.
  if (argv.some((word) => word.startsWith('--bootstrap-kubeconfig'))) return;
  if (at === -1 || !file || !fs.existsSync(file)) return;
  const { clock } = createContext();
  const client = connect({ clock }, await loadKubeconfig({ clock, file }));
  try {
    await client.request({ method: 'GET', path: '/version', signal: clock.deadline(PATIENCE_MS) });
  } catch (error) {
    if (isOldKubeconfig(error)) throw new CommandError(`${file}: ${OLD_KUBECONFIG}`);
  } finally {
    await client.close();
  }
}
