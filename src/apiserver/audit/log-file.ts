/** The log backend of auditing: writes events as lines of JSON to a file, and rotates it by size. */
import fs from 'node:fs';
import path from 'node:path';
import { makeDirectory, type Context } from '../../kernel/index.ts';
import type { AuditBackend } from './audit.ts';
import type { AuditEvent } from './event.ts';

export interface AuditLogFileOptions {
  /** `-` is standard output. */
  readonly path: string;
  /** Rotate the file at this size; 100 by default. */
  readonly maxSizeMegabytes?: number;
  /** The maximum number of rotated files; 0 for no limit. */
  readonly maxBackups?: number;
  /** The maximum age of rotated files in days; 0 for no limit. */
  readonly maxAgeDays?: number;
}

const DAY_MS = 24 * 3600 * 1000;

export class AuditLogFile implements AuditBackend {
  #pending: string[] = [];
  #size = 0;
  #flushing: Promise<void> = Promise.resolve();
  #scheduled = false;
  #file: fs.promises.FileHandle | undefined;
  readonly #ctx: Context;
  readonly #options: AuditLogFileOptions;

  constructor(ctx: Context, options: AuditLogFileOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /** Events of one turn of the event loop are written together. */
  write(event: AuditEvent): void {
    this.#pending.push(`${JSON.stringify(event)}\n`);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#flushing = this.#flushing.then(async () => {
      await this.#ctx.clock.yield();
      this.#scheduled = false;
      await this.#flush();
    });
  }

  async close(): Promise<void> {
    await this.#flushing;
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
    try {
      await this.#append(text);
    } catch (error) {
      this.#ctx.logger.error(error, 'Failed to write audit events', { file: this.#options.path });
    }
  }

  async #append(text: string): Promise<void> {
    const bytes = Buffer.byteLength(text);
    const limit = (this.#options.maxSizeMegabytes ?? 100) * 1024 * 1024;
    this.#file ??= await this.#open();
    if (this.#size > 0 && this.#size + bytes > limit) await this.#rotate();
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
    await fs.promises.rename(this.#options.path, path.join(dir, `${name}-${time}${ext}`));
    this.#file = await this.#open();
    await this.#removeOld(dir, name, ext);
  }

  async #removeOld(directory: string, name: string, extension: string): Promise<void> {
    const { maxBackups = 0, maxAgeDays = 0 } = this.#options;
    const old = (await fs.promises.readdir(directory))
      .filter((file) => file.startsWith(`${name}-`) && file.endsWith(extension))
      .sort()
      .reverse();
    for (const [index, file] of old.entries()) {
      const at = Date.parse(
        file.slice(name.length + 1, file.length - extension.length).replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:') + 'Z',
      );
      const tooMany = maxBackups > 0 && index >= maxBackups;
      const tooOld = maxAgeDays > 0 && this.#ctx.clock.now() - at > maxAgeDays * DAY_MS;
      if (tooMany || tooOld) await fs.promises.rm(path.join(directory, file), { force: true });
    }
  }
}
