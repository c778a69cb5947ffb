/**
 * Records of sandboxes and containers, one JSON file each. A record is written before its first resource is created
 * and removed after its last one is deleted. So after a crash every leftover resource has a record.
 *
 * A change writes a new file with the next version, `ID.VERSION.json`, and then removes the old one. Replacing a file
 * by rename would be as safe, but makes journaling file systems flush the data at once, which takes milliseconds.
 */
import fs from 'node:fs';
import path from 'node:path';
import { makeDirectorySync } from '../../kernel/index.ts';

interface Identified {
  readonly id: string;
}

export class RecordStore<Stored extends Identified> implements Iterable<Stored> {
  readonly #directory: string;
  readonly #records = new Map<string, { readonly record: Stored; readonly version: number }>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Loads the newest complete version of each record and deletes all other files. */
  load(): void {
    makeDirectorySync(this.#directory, { mode: 0o700 });
    for (const name of fs.readdirSync(this.#directory)) {
      const [, id = '', number = ''] = /^([\w-]+)\.(\d+)\.json$/.exec(name) ?? [];
      const version = Number(number);
      const record = id === '' ? undefined : readRecord<Stored>(path.join(this.#directory, name));
      const known = this.#records.get(id);
      if (record === undefined || record.id !== id || (known !== undefined && known.version > version)) {
        fs.rmSync(path.join(this.#directory, name), { force: true, recursive: true });
        continue;
      }
      if (known !== undefined) fs.rmSync(this.#file(id, known.version), { force: true });
      this.#records.set(id, { record, version });
    }
  }

  get(id: string): Stored | undefined {
    return this.#records.get(id)?.record;
  }

  /** By id, or by an unambiguous prefix of it. */
  find(idOrPrefix: string): Stored | undefined {
    const exact = this.get(idOrPrefix);
    if (exact !== undefined || idOrPrefix === '') return exact;
    let found: Stored | undefined;
    for (const { record } of this.#records.values()) {
      if (!record.id.startsWith(idOrPrefix)) continue;
      if (found !== undefined) return undefined;
      found = record;
    }
    return found;
  }

  /** Changes the given fields; a field with the value undefined is removed. */
  update(id: string, change: Partial<Stored>): Stored {
    const record = this.get(id);
    if (record === undefined) throw new Error(`there is no record of ${id}`);
    return this.put({ ...record, ...change });
  }

  put(record: Stored): Stored {
    const known = this.#records.get(record.id);
    const version = (known?.version ?? 0) + 1;
    // Environment variables and annotations may hold secrets.
    fs.writeFileSync(this.#file(record.id, version), JSON.stringify(record), { mode: 0o600 });
    this.#records.set(record.id, { record, version });
    if (known !== undefined) fs.rmSync(this.#file(record.id, known.version), { force: true });
    return record;
  }

  remove(id: string): void {
    const known = this.#records.get(id);
    if (known !== undefined) fs.rmSync(this.#file(id, known.version), { force: true });
    this.#records.delete(id);
  }

  #file(id: string, version: number): string {
    return path.join(this.#directory, `${id}.${version}.json`);
  }

  *[Symbol.iterator](): Iterator<Stored> {
    for (const { record } of this.#records.values()) yield record;
  }
}

function readRecord<Stored extends Identified>(file: string): Stored | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'), reviveBytes) as Stored;
  } catch {
    return undefined;
  }
}

/** Restores Buffers, such as the values of environment variables, from their JSON form. */
function reviveBytes(_key: string, value: unknown): unknown {
  if (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'Buffer' &&
    'data' in value &&
    Array.isArray(value.data)
  ) {
    return Buffer.from(value.data as number[]);
  }
  return value;
}
