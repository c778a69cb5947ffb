/**
 * Unpacked layers by chain id, which identifies a layer with all layers below it: a directory that a layer only
 * implies gets its owner and mode from below. A layer exists when its `layer.json` exists.
 *
 *     layers/<chain id>/diff         the lowerdir of overlayfs mounts
 *     layers/<chain id>/layer.json   its size and, until it is synced, the boot id of its unpacking
 *     l/<short>                      a link to diff, because the options of mount(2) have to fit into a page
 *
 * Unpacking does not sync. After a power failure, an unsynced layer has the boot id of an earlier boot and is unpacked
 * again from its blob, which is durable.
 */
import { mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory, type Context } from '../../../kernel/index.ts';
import { removeIfThere, replaceFile } from '../atomic-file.ts';
import { parseDigest } from '../digest.ts';
import { wrapError } from '../image-error.ts';
import type { LayerWorkers } from './layer-workers.ts';
import type { UnpackLimits } from './unpack-limits.ts';

interface LayerRecord {
  readonly chainId: string;
  readonly diffId: string;
  readonly bytes: number;
  readonly inodes: number;
  /** The boot id of its unpacking; absent once the layer is synced. */
  readonly unsyncedInBoot?: string;
}

interface LayerToUnpack {
  readonly chainId: string;
  readonly diffId: string;
  readonly blob: string;
  /** Chain ids of the layers below, lowest first. */
  readonly below: readonly string[];
}

const SYNC_DELAY_MS = 2_000;
const SHORT_LENGTH = 12;

export class LayerStore {
  readonly #ctx: Context;
  readonly #workers: LayerWorkers;
  readonly #layers: string;
  readonly #links: string;
  readonly #limits: UnpackLimits;
  readonly #records = new Map<string, LayerRecord>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  #bootId = '';
  #syncing: Promise<void> | undefined;
  #temporary = 0;

  private constructor(ctx: Context, root: string, options: { workers: LayerWorkers; limits: UnpackLimits }) {
    this.#ctx = ctx;
    this.#workers = options.workers;
    this.#limits = options.limits;
    this.#layers = join(root, 'layers');
    this.#links = join(root, 'l');
  }

  static async open(
    ctx: Context,
    root: string,
    options: { workers: LayerWorkers; limits: UnpackLimits },
  ): Promise<LayerStore> {
    const store = new LayerStore(ctx, root, options);
    await makeDirectory(store.#layers, { mode: 0o700 });
    await makeDirectory(store.#links, { mode: 0o700 });
    await store.#recover();
    return store;
  }

  get(chainId: string): LayerRecord | undefined {
    return this.#records.get(chainId);
  }

  list(): readonly LayerRecord[] {
    return [...this.#records.values()];
  }

  /** A short path to the layer's diff. */
  path(chainId: string): string {
    return join(this.#links, parseDigest(chainId).hex.slice(0, SHORT_LENGTH));
  }

  /** Unpacks a layer unless it exists; the layers below must exist. */
  async unpack(layer: LayerToUnpack, signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#records.has(layer.chainId)) return;
      const running = this.#running.get(layer.chainId);
      if (running === undefined) break;
      await running.catch(() => {});
    }
    await this.#run(layer.chainId, this.#unpack(layer, signal));
  }

  async remove(chainId: string): Promise<void> {
    this.#records.delete(chainId);
    await this.#run(chainId, this.#remove(chainId));
  }

  /** Tracks work on a layer, so that callers that need the layer wait for it. */
  async #run(chainId: string, work: Promise<void>): Promise<void> {
    const run = work.finally(() => {
      if (this.#running.get(chainId) === run) this.#running.delete(chainId);
    });
    this.#running.set(chainId, run);
    await run;
  }

  /** Renames the layer before deleting it, so that a crash never leaves a partial layer. */
  async #remove(chainId: string): Promise<void> {
    const temporary = this.#newFolder();
    await rename(this.#folder(chainId), temporary);
    await rm(this.path(chainId), { force: true });
    await removeIfThere(temporary);
  }

  /** Unsynced layers stay marked; the next start syncs them. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#syncing;
  }

  #newFolder(): string {
    return join(this.#layers, `new-${process.pid}-${this.#temporary++}`);
  }

  #folder(chainId: string): string {
    return join(this.#layers, parseDigest(chainId).hex);
  }

  async #unpack(layer: LayerToUnpack, signal?: AbortSignal): Promise<void> {
    const temporary = this.#newFolder();
    await mkdir(temporary, { mode: 0o700 });
    try {
      const lowers = layer.below.map((chainId) => join(this.#folder(chainId), 'diff')).reverse();
      const { blob, diffId } = layer;
      const unpacked = await this.#workers.unpack(
        { blob, diffId, target: join(temporary, 'diff'), lowers, limits: this.#limits },
        signal,
      );
      const record: LayerRecord = { chainId: layer.chainId, diffId, ...unpacked, unsyncedInBoot: this.#bootId };
      await replaceFile(join(temporary, 'layer.json'), JSON.stringify(record));
      await removeIfThere(this.#folder(layer.chainId));
      await rename(temporary, this.#folder(layer.chainId));
      await this.#link(layer.chainId);
      this.#records.set(layer.chainId, record);
      this.#syncLater();
    } catch (error) {
      await removeIfThere(temporary);
      if (signal?.aborted) throw error;
      throw wrapError(`failed to extract layer ${layer.diffId}`, error);
    }
  }

  async #link(chainId: string): Promise<void> {
    const target = join('..', 'layers', parseDigest(chainId).hex, 'diff');
    const path = this.path(chainId);
    const there = await readlink(path).catch(() => undefined);
    if (there === target) return;
    await rm(path, { force: true });
    await symlink(target, path);
  }

  #syncLater(): void {
    this.#syncing ??= this.#sync().finally(() => (this.#syncing = undefined));
  }

  async #sync(): Promise<void> {
    try {
      await this.#ctx.clock.sleep(SYNC_DELAY_MS, AbortSignal.any([this.#closing.signal, this.#ctx.signal]));
    } catch {
      return;
    }
    const unsynced = [...this.#records.values()].filter((record) => record.unsyncedInBoot !== undefined);
    try {
      await this.#workers.sync(this.#layers);
      for (const { unsyncedInBoot: _boot, ...record } of unsynced) {
        if (!this.#records.has(record.chainId)) continue;
        await replaceFile(join(this.#folder(record.chainId), 'layer.json'), JSON.stringify(record));
        this.#records.set(record.chainId, record);
      }
    } catch (error) {
      this.#ctx.logger.error(error, 'Failed to sync layers to disk');
    }
  }

  async #recover(): Promise<void> {
    this.#bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    for (const name of await readdir(this.#layers)) {
      const record = await this.#readRecord(name);
      if (record === undefined || (record.unsyncedInBoot !== undefined && record.unsyncedInBoot !== this.#bootId)) {
        await removeIfThere(join(this.#layers, name));
        continue;
      }
      this.#records.set(record.chainId, record);
      await this.#link(record.chainId);
    }
    const wanted = new Set([...this.#records.keys()].map((chainId) => parseDigest(chainId).hex.slice(0, SHORT_LENGTH)));
    for (const name of await readdir(this.#links))
      if (!wanted.has(name)) await rm(join(this.#links, name), { force: true });
    if ([...this.#records.values()].some((record) => record.unsyncedInBoot !== undefined)) this.#syncLater();
  }

  async #readRecord(name: string): Promise<LayerRecord | undefined> {
    if (name.startsWith('new-')) return undefined;
    try {
      const record = JSON.parse(await readFile(join(this.#layers, name, 'layer.json'), 'utf8')) as LayerRecord;
      return parseDigest(record.chainId).hex === name ? record : undefined;
    } catch {
      return undefined;
    }
  }
}
