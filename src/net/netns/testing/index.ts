/** Namespaces for tests: made in a folder of their own and gone with it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createNetns, deleteNetns } from '../namespace.ts';

/** Why tests with namespaces cannot run here; undefined when they can. */
export function namespacesMissing(...tools: readonly string[]): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  const missing = tools.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);
  return missing.length === 0 ? undefined : `needs ${missing.join(', ')}`;
}

export class TestNamespaces {
  readonly directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-netns-'));
  /** A new namespace; its file. */
  create(name: string): string {
    const netns = path.join(this.directory, name);
    createNetns(netns);
    return netns;
  }

  /** With whatever the test has pinned below the folder, also if it failed before it could remove it. */
  close(): void {
    for (const line of fs.readFileSync('/proc/self/mounts', 'utf8').split('\n')) {
      const place = line.split(' ')[1] ?? '';
      if (place.startsWith(`${this.directory}/`)) deleteNetns(place);
    }
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}
export { receiveUnixDatagrams, type DatagramReceiver } from './datagram-receiver.ts';
