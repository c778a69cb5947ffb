/**
 * What the runtime knows of its sandboxes and containers, one small JSON file each, replaced atomically. A record is
 * written before the first resource that it stands for is made and removed after the last one is gone: so whatever
 * moment the process ends at, everything that it left behind has a record that says so.
 */
import fs from 'node:fs';
import path from 'node:path';

export interface Identified {
  readonly id: string;
}

export class RecordStore<Stored extends Identified> implements Iterable<Stored> {
  readonly #directory: string;
  readonly #records = new Map<string, Stored>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Reads what is there. A file that no record was completely written to is one that nobody was told of. */
  load(): void {
    fs.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    for (const name of fs.readdirSync(this.#directory)) {
      const file = path.join(this.#directory, name);
      const record = name.endsWith('.json') ? readRecord<Stored>(file) : undefined;
      if (record === undefined || `${record.id}.json` !== name) fs.rmSync(file, { force: true, recursive: true });
      else this.#records.set(record.id, record);
    }
  }

  get(id: string): Stored | undefined {
    return this.#records.get(id);
  }

  /** By its id, or by the beginning of its id when no other one begins so. */
  find(idOrPrefix: string): Stored | undefined {
    const exact = this.#records.get(idOrPrefix);
    if (exact !== undefined || idOrPrefix === '') return exact;
    let found: Stored | undefined;
    for (const record of this.#records.values()) {
      if (!record.id.startsWith(idOrPrefix)) continue;
      if (found !== undefined) return undefined;
      found = record;
    }
    return found;
  }

  /** The parts that are given replace those of the record; those that are undefined are taken away. */
  update(id: string, change: Partial<Stored>): Stored {
    const record = this.#records.get(id);
    if (record === undefined) throw new Error(`there is no record of ${id}`);
    return this.put({ ...record, ...change });
  }

  put(record: Stored): Stored {
    const file = path.join(this.#directory, `${record.id}.json`);
    const temporary = path.join(this.#directory, `.${record.id}.tmp`);
    // Environment variables and annotations may hold secrets.
    fs.writeFileSync(temporary, JSON.stringify(record), { mode: 0o600 });
    fs.renameSync(temporary, file);
    this.#records.set(record.id, record);
    return record;
  }

  remove(id: string): void {
    fs.rmSync(path.join(this.#directory, `${id}.json`), { force: true });
    this.#records.delete(id);
  }

  get size(): number {
    return this.#records.size;
  }

  [Symbol.iterator](): Iterator<Stored> {
    return this.#records.values();
  }
}

function readRecord<Stored extends Identified>(file: string): Stored | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'), reviveBytes) as Stored;
  } catch {
    return undefined;
  }
}

/** Values of environment variables are bytes on the wire; JSON has them as Node writes Buffers. */
function reviveBytes(_key: string, value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value && Array.isArray(value.data)) {
    return Buffer.from(value.data as number[]);
  }
  return value;
}
