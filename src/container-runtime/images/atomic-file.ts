/** Files that are whole or not there, whatever happens to the process while they are written. */
import { rename, rm, writeFile } from 'node:fs/promises';

/** Replaces a file in one step, for what needs to survive the process but not the machine. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, content, { mode: 0o600 });
  await rename(temporary, path);
}

export async function removeIfThere(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
