/**
 * Records of attachments, one file per sandbox, written before anything is changed in the kernel. So a crash leaves
 * either nothing or a record of what to clean up.
 */
import fs from 'node:fs';
import path from 'node:path';
import { makeDirectorySync } from '../../../kernel/index.ts';
import type { Attachment, PortMapping } from '../pod-network.ts';

export interface AttachmentRecord extends Attachment {
  readonly sandboxId: string;
  /** namespace/name of the pod, for messages. */
  readonly pod: string;
  /** The node's end of the veth pair. */
  readonly hostInterface: string;
  readonly mac: string;
  readonly portMappings: readonly PortMapping[];
  /** The ifb device that limits the egress bandwidth, if any. */
  readonly ifbDevice?: string;
  /** False until the attachment is complete. */
  readonly complete: boolean;
}

interface NodeRecord {
  readonly podCidrs: readonly string[];
}

const NODE_FILE = 'node.json';
const SUFFIX = '.attachment.json';

export class AttachmentRecords {
  readonly #directory: string;
  readonly #records = new Map<string, AttachmentRecord>();
  #node: NodeRecord | undefined;

  /** Loads the records. Incomplete files are deleted: nothing was done for them yet. */
  constructor(directory: string) {
    this.#directory = directory;
    makeDirectorySync(directory, { mode: 0o700 });
    for (const name of fs.readdirSync(directory)) {
      const file = path.join(directory, name);
      if (name === NODE_FILE) this.#node = readJson<NodeRecord>(file);
      else if (!name.endsWith(SUFFIX)) fs.rmSync(file, { force: true, recursive: true });
      else {
        const record = readJson<AttachmentRecord>(file);
        if (record === undefined) fs.rmSync(file, { force: true });
        else this.#records.set(record.sandboxId, record);
      }
    }
  }

  get podCidrs(): readonly string[] | undefined {
    return this.#node?.podCidrs;
  }

  setPodCidrs(podCidrs: readonly string[]): void {
    this.#node = { podCidrs };
    this.#write(NODE_FILE, this.#node);
  }

  get(sandboxId: string): AttachmentRecord | undefined {
    return this.#records.get(sandboxId);
  }

  all(): AttachmentRecord[] {
    return [...this.#records.values()];
  }

  put(record: AttachmentRecord): void {
    this.#write(fileOf(record.sandboxId), record);
    this.#records.set(record.sandboxId, record);
  }

  delete(sandboxId: string): void {
    fs.rmSync(path.join(this.#directory, fileOf(sandboxId)), { force: true });
    this.#records.delete(sandboxId);
  }

  #write(name: string, value: unknown): void {
    const file = path.join(this.#directory, name);
    fs.writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
    fs.renameSync(`${file}.new`, file);
  }
}

function fileOf(sandboxId: string): string {
  if (!/^[\w.-]+$/.test(sandboxId) || sandboxId.startsWith('.'))
    throw new Error(`"${sandboxId}" is not an id of a sandbox`);
  return `${sandboxId}${SUFFIX}`;
}

function readJson<Value>(file: string): Value | undefined {
  try {
    // The file is our own and was written atomically.
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Value;
  } catch {
    return undefined;
  }
}
