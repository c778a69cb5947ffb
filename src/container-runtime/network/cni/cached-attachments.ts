/**
 * The cache of CNI results, in libcni's format. DEL and CHECK need the configuration and the result of ADD, also after
 * a restart and after the configuration has changed.
 */
import fs from 'node:fs';
import path from 'node:path';
import { makeDirectorySync } from '../../../kernel/index.ts';
import { isObject, type JsonObject, type NetworkList } from './network-list.ts';

export interface CachedAttachment {
  readonly containerId: string;
  readonly ifName: string;
  readonly networkName: string;
  readonly netns: string;
  readonly list: NetworkList;
  readonly cniArgs: readonly (readonly [string, string])[];
  readonly capabilityArgs: JsonObject;
  /** Absent until ADD has succeeded; after a crash, ADD may have run partially. */
  readonly result?: JsonObject;
}

export class CachedAttachments {
  readonly #directory: string;
  readonly #attachments = new Map<string, CachedAttachment>();

  constructor(directory: string) {
    this.#directory = directory;
    makeDirectorySync(directory, { mode: 0o700 });
    for (const file of fs.readdirSync(directory)) {
      const attachment = read(path.join(directory, file));
      if (attachment === undefined) fs.rmSync(path.join(directory, file), { force: true });
      else this.#attachments.set(attachment.containerId, attachment);
    }
  }

  get(id: string): CachedAttachment | undefined {
    return this.#attachments.get(id);
  }

  all(): CachedAttachment[] {
    return [...this.#attachments.values()];
  }

  put(attachment: CachedAttachment): void {
    const { list, ...rest } = attachment;
    const file = this.#file(attachment);
    const cached = { kind: 'cniCacheV1', ...rest, config: Buffer.from(JSON.stringify(list)).toString('base64') };
    fs.writeFileSync(`${file}.new`, JSON.stringify(cached), { mode: 0o600 });
    fs.renameSync(`${file}.new`, file);
    this.#attachments.set(attachment.containerId, attachment);
  }

  delete(attachment: CachedAttachment): void {
    fs.rmSync(this.#file(attachment), { force: true });
    this.#attachments.delete(attachment.containerId);
  }

  #file({ networkName, containerId, ifName }: CachedAttachment): string {
    if (!/^[\w.-]+$/.test(containerId)) throw new Error(`"${containerId}" is not an id of a sandbox`);
    return path.join(this.#directory, `${networkName}-${containerId}-${ifName}`);
  }
}

function read(file: string): CachedAttachment | undefined {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (
      !isObject(value) ||
      value.kind !== 'cniCacheV1' ||
      typeof value.config !== 'string' ||
      typeof value.containerId !== 'string'
    )
      return undefined;
    // The file is our own and was written atomically.
    const list = JSON.parse(Buffer.from(value.config, 'base64').toString()) as NetworkList;
    const { kind: _kind, config: _config, ...rest } = value;
    return { ...(rest as unknown as CachedAttachment), list };
  } catch {
    return undefined;
  }
}
