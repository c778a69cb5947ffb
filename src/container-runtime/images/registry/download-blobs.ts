/** The concurrent blob downloads of one pull; an interrupted download resumes. */
import type { Context, RunGroup } from '../../../kernel/index.ts';
import type { BlobStore } from '../blob-store.ts';
import { ImageError, wrapError } from '../image-error.ts';
import type { PullProgress } from '../image-store.ts';
import type { Lease } from '../lease.ts';
import type { Descriptor } from '../manifest/oci-types.ts';
import type { RegistryClient } from './registry-client.ts';
import { connectionError } from './registry-errors.ts';

interface BlobDownloadsOptions {
  readonly ctx: Context;
  readonly blobs: BlobStore;
  readonly client: RegistryClient;
  /** Runs the downloads; the first failure aborts the others. */
  readonly group: RunGroup;
  readonly lease: Lease;
  readonly parallel: number;
  readonly onProgress?: (progress: PullProgress) => void;
}

/** Consecutive attempts without progress before a download fails. */
const MAX_IDLE_ATTEMPTS = 4;
const RETRY_DELAY_MS = 250;

export class BlobDownloads {
  readonly #options: BlobDownloadsOptions;
  readonly #downloads = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: BlobDownloadsOptions) {
    this.#options = options;
  }

  /** Starts a download unless it was started before. */
  start(blob: Descriptor): void {
    if (this.#downloads.has(blob.digest)) return;
    this.#options.lease.hold(blob.digest);
    const download = this.#whenFree(() => this.#download(blob));
    // `done` and the group report a failure.
    download.catch(() => {});
    this.#downloads.set(blob.digest, download);
    this.#options.group.start(blob.digest, () => download);
  }

  async done(digest: string): Promise<void> {
    await this.#downloads.get(digest);
  }

  async #whenFree(work: () => Promise<void>): Promise<void> {
    while (this.#running >= this.#options.parallel) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      await work();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #download({ digest, size }: Descriptor): Promise<void> {
    const { ctx, blobs, client, group, onProgress } = this.#options;
    let [received, before] = [0, -1];
    for (let [idle, damaged] = [0, 0]; ;) {
      group.signal.throwIfAborted();
      try {
        await blobs.fetch({ digest, size }, client.blob({ digest }), {
          signal: group.signal,
          onProgress: (bytes) => {
            received = bytes;
            onProgress?.({ digest, received: bytes, size });
          },
        });
        return;
      } catch (cause) {
        const error = connectionError(cause, `blob ${digest}`);
        idle = received > before ? 1 : idle + 1;
        before = Math.max(before, received);
        if (error instanceof ImageError && error.code === 'DATA_LOSS') damaged++;
        if (group.signal.aborted || idle >= MAX_IDLE_ATTEMPTS || damaged > 1 || !isRetryable(error))
          throw wrapError(`failed to copy ${digest}`, error);
        await ctx.clock.sleep(RETRY_DELAY_MS * idle, group.signal);
      }
    }
  }
}

/** Broken connections, and resumed downloads with a damaged beginning, are retried. */
function isRetryable(error: unknown): boolean {
  return error instanceof ImageError && (error.code === 'UNAVAILABLE' || error.code === 'DATA_LOSS');
}
