/** The log backend of auditing: writes events as lines of JSON to a file, and rotates it by size. */
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { makeDirectory, type Context } from '../../kernel/index.ts';
import { AuditErrors } from './audit-errors.ts';
import type { AuditBackend, AuditSink } from './audit.ts';
import type { AuditEvent } from './event.ts';
import { legacyLine } from './legacy-format.ts';

export interface AuditLogFileOptions {
  /** `-` is standard output. */
  readonly path: string;
  /** Rotate the file at this size; 0: never; 100 by default. */
  readonly maxSizeMegabytes?: number;
  /** The maximum number of rotated files; 0 for no limit. */
  readonly maxBackups?: number;
  /** The maximum age of rotated files in days; 0 for no limit. */
  readonly maxAgeDays?: number;
  /** Compresses rotated files. */
  readonly compress?: boolean;
  /** Text instead of JSON. */
  readonly legacyFormat?: boolean;
}

const DAY_MS = 24 * 3600 * 1000;

export class AuditLogFile implements AuditBackend, AuditSink {
  readonly name = 'log';
  #pending: string[] = [];
  #size = 0;
  #flushing: Promise<void> = Promise.resolve();
  #scheduled = false;
  #file: fs.promises.FileHandle | undefined;
  readonly #ctx: Context;
  readonly #options: AuditLogFileOptions;
  readonly #errors: AuditErrors;

  constructor(ctx: Context, options: AuditLogFileOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#errors = new AuditErrors(ctx, this.name);
  }

  /** Requests do not wait. */
  write(event: AuditEvent): true {
    if (this.#enqueue([event])) this.#flushing.catch((error: unknown) => this.#errors.failed(error, 1));
    return true;
  }

  store(events: readonly AuditEvent[]): Promise<void> {
    this.#enqueue(events);
    return this.#flushing;
  }

  /** Events of one turn of the event loop are written together. Returns whether they are the first of the turn. */
  #enqueue(events: readonly AuditEvent[]): boolean {
    const format = this.#options.legacyFormat ? legacyLine : JSON.stringify;
    for (const event of events) this.#pending.push(`${format(event)}\n`);
    if (this.#scheduled) return false;
    this.#scheduled = true;
    const earlier = this.#flushing.catch(() => {});
    this.#flushing = earlier.then(async () => {
      await this.#ctx.clock.yield();
      this.#scheduled = false;
      await this.#flush();
    });
    return true;
  }

  async close(): Promise<void> {
    await this.#flushing.catch(() => {});
    await this.#file?.close();
    this.#file = undefined;
  }

  async #flush(): Promise<void> {
    const text = this.#pending.join('');
    this.#pending = [];
    if (this.#options.path === '-') {
      process.stdout.write(text);
      return;
    }
    await this.#append(text);
  }

  async #append(text: string): Promise<void> {
    const bytes = Buffer.byteLength(text);
    const limit = (this.#options.maxSizeMegabytes ?? 100) * 1024 * 1024;
    this.#file ??= await this.#open();
    if (limit > 0 && this.#size > 0 && this.#size + bytes > limit) await this.#rotate();
    await this.#file.appendFile(text);
    this.#size += bytes;
  }

  async #open(): Promise<fs.promises.FileHandle> {
    await makeDirectory(path.dirname(this.#options.path));
    const file = await fs.promises.open(this.#options.path, 'a', 0o600);
    this.#size = (await file.stat()).size;
    return file;
  }

  /** `audit.log` becomes `audit-2026-01-31T12-00-00.000.log`. */
  async #rotate(): Promise<void> {
    await this.#file?.close();
    const { dir, name, ext } = path.parse(this.#options.path);
    const time = new Date(this.#ctx.clock.now()).toISOString().replaceAll(':', '-').replace('Z', '');
    const rotated = path.join(dir, `${name}-${time}${ext}`);
    await fs.promises.rename(this.#options.path, rotated);
    this.#file = await this.#open();
    if (this.#options.compress) await compressFile(rotated);
    await this.#removeOld(dir, name, ext);
  }

  async #removeOld(directory: string, name: string, extension: string): Promise<void> {
    const { maxBackups = 0, maxAgeDays = 0 } = this.#options;
    const old = (await fs.promises.readdir(directory))
      .filter((file) => file.startsWith(`${name}-`) && (file.endsWith(extension) || file.endsWith(`${extension}.gz`)))
      .sort()
      .reverse();
    for (const [index, file] of old.entries()) {
      const at = Date.parse(
        file.slice(name.length + 1, file.lastIndexOf(extension)).replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:') + 'Z',
      );
      const tooMany = maxBackups > 0 && index >= maxBackups;
      const tooOld = maxAgeDays > 0 && this.#ctx.clock.now() - at > maxAgeDays * DAY_MS;
      if (tooMany || tooOld) await fs.promises.rm(path.join(directory, file), { force: true });
    }
  }
}

async function compressFile(file: string): Promise<void> {
  await pipeline(
    fs.createReadStream(file),
    createGzip(),
    fs.createWriteStream(`${file}.gz`, { mode: 0o600, flags: 'wx' }),
  );
  await fs.promises.rm(file);
}
