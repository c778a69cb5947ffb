/** Files that a crash leaves complete or absent. */
import { rename, rm, writeFile } from 'node:fs/promises';

/** Replaces a file atomically. The content survives a crash of the process, but not a power failure. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, content, { mode: 0o600 });
  await rename(temporary, path);
}

export async function removeIfThere(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
