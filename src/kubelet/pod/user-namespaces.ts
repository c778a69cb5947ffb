/** User namespaces: allocates to each pod with hostUsers=false a range of user IDs that no other pod has. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../api/generated/core-v1.ts';
import type { UserNamespace } from '../../cri/index.ts';
import { makeDirectory } from '../../kernel/index.ts';
import { uidOf } from './pod-identity.ts';

const LENGTH = 65_536;
const FIRST_ID = 65_536;
const MAX_RANGES = 1024;
const FILE = 'userns';

export class UserNamespaces {
  readonly #root: string;
  readonly #isSupported: () => boolean;
  readonly #length: number;
  readonly #firstIds = new Map<string, number>();

  constructor(rootDirectory: string, settings: Readonly<Record<string, unknown>>, isSupported: () => boolean) {
    this.#root = rootDirectory;
    this.#isSupported = isSupported;
    const configured = settings['idsPerPod'];
    this.#length = typeof configured === 'number' && configured > 0 ? configured : LENGTH;
  }

  /** Restores the ranges that were allocated before a restart. */
  async load(pods: readonly Pod[]): Promise<void> {
    for (const pod of pods) {
      const text = await fs.readFile(this.#file(pod), 'utf8').catch(() => undefined);
      if (text !== undefined) this.#firstIds.set(uidOf(pod), Number(text));
    }
  }

  async of(pod: Pod): Promise<UserNamespace | undefined> {
    if (pod.spec?.hostUsers !== false) return undefined;
    if (!this.#isSupported())
      throw new Error("can't set `spec.hostUsers: false`, runtime does not support user namespaces");
    const uid = uidOf(pod);
    let first = this.#firstIds.get(uid);
    if (first === undefined) {
      first = await this.#allocate(pod);
      this.#firstIds.set(uid, first);
    }
    const mapping = [{ hostId: first, containerId: 0, length: this.#length }];
    return { mode: 'POD', uids: mapping, gids: mapping };
  }

  async #allocate(pod: Pod): Promise<number> {
    const directories = new Set(await fs.readdir(path.join(this.#root, 'pods')).catch(() => []));
    for (const uid of this.#firstIds.keys()) if (!directories.has(uid)) this.#firstIds.delete(uid);
    const used = new Set(this.#firstIds.values());
    for (let i = 0; i < MAX_RANGES; i++) {
      const first = FIRST_ID + i * this.#length;
      if (used.has(first)) continue;
      await makeDirectory(path.dirname(this.#file(pod)), { mode: 0o750 });
      await fs.writeFile(this.#file(pod), String(first));
      return first;
    }
    throw new Error('could not allocate user namespace mappings: all ranges are in use');
  }

  #file(pod: Pod): string {
    return path.join(this.#root, 'pods', uidOf(pod), FILE);
  }
}
