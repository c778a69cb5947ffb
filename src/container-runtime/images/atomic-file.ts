/** Files that are whole or not there, whatever happens while they are written. */
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file in one step; durable when it resolves. */
export async function writeAtomically(path: string, content: Uint8Array | string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Replaces a file in one step, for what needs to survive the process but not the machine. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, content, { mode: 0o600 });
  await rename(temporary, path);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export async function removeIfThere(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
