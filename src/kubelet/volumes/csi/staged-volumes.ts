/**
 * The volumes that are staged on this node, each once for all its pods. A failed call may leave open whether the driver
 * has staged or unstaged a volume: then it is staged again for the next pod, and unstaged when there is none. A volume
 * that no pod uses any more is unstaged, however often that fails, and pods do not wait for it.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import {
  isAbort,
  ItemExponentialFailureRateLimiter,
  runWorkers,
  WorkQueue,
  type Context,
} from '../../../kernel/index.ts';
import { makeDirectory } from '../../../kernel/index.ts';
import { mayHaveHappened } from './call-error.ts';
import { allStagedData, removeVolumeData, writeStagedData, type StagedData } from './volume-data.ts';

interface StagedVolume extends StagedData {
  /** `restored`: staged by an earlier run, as far as is known. */
  state: 'staged' | 'uncertain' | 'restored';
  /** The directories of the pods' volumes. */
  readonly users: Set<string>;
}

interface StagedVolumesOptions {
  readonly rootDirectory: string;
  readonly unstage: (volume: StagedData) => Promise<void>;
  /** Runs work on a volume after all earlier work on it. */
  readonly serialize: (volume: StagedData, work: () => Promise<void>) => Promise<void>;
  readonly onUnstaged: () => void;
}

const RETRY_MS = 500;
const MAX_RETRY_MS = 122_000;
const WORKERS = 4;

export class StagedVolumes {
  readonly #ctx: Context;
  readonly #options: StagedVolumesOptions;
  /** By staging path. */
  readonly #volumes = new Map<string, StagedVolume>();
  readonly #queue: WorkQueue<string>;

  constructor(ctx: Context, options: StagedVolumesOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#queue = new WorkQueue({
      clock: ctx.clock,
      rateLimiter: new ItemExponentialFailureRateLimiter(RETRY_MS, MAX_RETRY_MS),
    });
  }

  /** Restores the volumes of an earlier run; `users` are the directories of pods' volumes by staging path. */
  async load(users: ReadonlyMap<string, readonly string[]>): Promise<void> {
    for (const data of await allStagedData(this.#options.rootDirectory)) {
      const { stagingPath } = data;
      this.#volumes.set(stagingPath, { ...data, state: 'restored', users: new Set(users.get(stagingPath)) });
      if (!users.has(stagingPath)) this.#queue.add(stagingPath);
    }
  }

  get volumes(): Iterable<StagedData> {
    return this.#volumes.values();
  }

  run(): Promise<void> {
    const { signal, logger } = this.#ctx;
    return runWorkers({
      queue: this.#queue,
      workers: WORKERS,
      signal,
      logger,
      isExpected: (error) => isAbort(error, signal),
      handle: (stagingPath) => this.#unstageUnused(stagingPath),
    });
  }

  /** Stages the volume unless that is done. Work on the volume must be serialized by the caller. */
  async stage(data: StagedData, user: string, prepare: () => Promise<() => Promise<unknown>>): Promise<void> {
    const { stagingPath } = data;
    const known = this.#volumes.get(stagingPath);
    known?.users.add(user);
    if (known?.state === 'staged') return;
    const call = await prepare();
    await makeDirectory(stagingPath, { mode: 0o750 });
    await writeStagedData(data);
    // Counts as in use from here on, so that it is not detached.
    const volume = known ?? { ...data, state: 'uncertain' as const, users: new Set([user]) };
    this.#volumes.set(stagingPath, volume);
    try {
      await call();
      volume.state = 'staged';
    } catch (error) {
      if (!mayHaveHappened(error) && volume.state === 'uncertain') {
        this.#forget(volume);
        await removeFiles(volume).catch((failure: unknown) =>
          this.#ctx.logger.error(failure, 'Failed to remove the staging path', { stagingPath }),
        );
      }
      throw error;
    }
  }

  /** A pod does not use the volume any more. */
  release(stagingPath: string, user: string): void {
    const volume = this.#volumes.get(stagingPath);
    volume?.users.delete(user);
    if (volume?.users.size === 0) this.#queue.add(stagingPath);
  }

  async #unstageUnused(stagingPath: string): Promise<void> {
    const volume = this.#volumes.get(stagingPath);
    if (volume === undefined) return;
    await this.#options.serialize(volume, async () => {
      if (volume.users.size > 0 || this.#volumes.get(stagingPath) !== volume) return;
      volume.state = 'uncertain';
      await this.#options.unstage(volume);
      await removeFiles(volume);
      this.#forget(volume);
    });
  }

  #forget({ stagingPath }: StagedVolume): void {
    if (this.#volumes.delete(stagingPath)) this.#options.onUnstaged();
  }
}

async function removeFiles({ stagingPath }: StagedData): Promise<void> {
  const folder = path.dirname(stagingPath);
  await removeVolumeData(folder);
  // Not recursive, because if it were still mounted that would delete the data of the volume.
  for (const directory of [stagingPath, folder]) {
    await fs.rmdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
