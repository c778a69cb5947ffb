import fs from 'node:fs/promises';
import { removeAsNamespaceRoot } from './run-in-namespaces.ts';

/** Removes a directory, also when containers of an ordinary user have left files of subordinate ids in it. */
export async function removeTree(directory: string): Promise<void> {
  try {
    await fs.rm(directory, { recursive: true, force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (process.getuid?.() === 0 || (code !== 'EACCES' && code !== 'EPERM')) throw error;
    await removeAsNamespaceRoot(directory);
  }
}
