/**
 * What each sandbox was given, one file a sandbox, written before the kernel is asked for anything. A crash at any line
 * thus leaves either nothing, or a record that says what to look for and to take back.
 */
import fs from 'node:fs';
import path from 'node:path';
import { makeDirectorySync } from '../../../kernel/index.ts';
import type { Attachment, PortMapping } from '../pod-network.ts';

export interface AttachmentRecord extends Attachment {
  readonly sandboxId: string;
  /** namespace/name of the pod, for people. */
  readonly pod: string;
  /** The node's end of the pair. */
  readonly hostInterface: string;
  readonly mac: string;
  readonly portMappings: readonly PortMapping[];
  /** Set when the interface was shaped through a device of its own. */
  readonly shapedBy?: string;
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

  /** Reads what is there. Files that a crash cut short were never acted upon, and go. */
  constructor(directory: string) {
    this.#directory = directory;
    makeDirectorySync(directory, { mode: 0o700 });
    for (const file of fs.readdirSync(directory)) {
      const place = path.join(directory, file);
      if (file === NODE_FILE) this.#node = readJson<NodeRecord>(place);
      else if (!file.endsWith(SUFFIX)) fs.rmSync(place, { force: true, recursive: true });
      else {
        const record = readJson<AttachmentRecord>(place);
        if (record === undefined) fs.rmSync(place, { force: true });
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

  #write(file: string, value: unknown): void {
    const place = path.join(this.#directory, file);
    fs.writeFileSync(`${place}.new`, JSON.stringify(value), { mode: 0o600 });
    fs.renameSync(`${place}.new`, place);
  }
}

function fileOf(sandboxId: string): string {
  if (!/^[\w.-]+$/.test(sandboxId) || sandboxId.startsWith('.'))
    throw new Error(`"${sandboxId}" is not an id of a sandbox`);
  return `${sandboxId}${SUFFIX}`;
}

function readJson<Value>(place: string): Value | undefined {
  try {
    // Our own file, written whole or not at all.
    return JSON.parse(fs.readFileSync(place, 'utf8')) as Value;
  } catch {
    return undefined;
  }
}
