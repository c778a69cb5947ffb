/**
 * Image GC: removes images that no container uses, least recently used first, when the disk usage of imagefs exceeds
 * the high threshold.
 */
import { errorMessage } from '../../base/index.ts';
import type { ContainerRuntime, Image } from '../../cri/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import { filesystemUse } from '../node/machine.ts';
import type { NodeReporter } from '../node/node-reporter.ts';
import { withDefaultTag } from './image-reference.ts';

const PERIOD_MS = 5 * 60_000;

interface ImageGcOptions {
  readonly runtime: ContainerRuntime;
  readonly config: KubeletConfiguration;
  readonly reporter: Pick<NodeReporter, 'event'>;
  /** References of images that pods mount as image volumes. */
  readonly imageVolumes: () => readonly string[];
  readonly periodMs?: number;
}

interface ImageRecord {
  readonly firstSeenAt: number;
  lastUsedAt: number;
  size: number;
}

export class ImageGarbageCollector {
  readonly #ctx: Context;
  readonly #runtime: ContainerRuntime;
  readonly #config: KubeletConfiguration;
  readonly #records = new Map<string, ImageRecord>();
  readonly #options: ImageGcOptions;

  constructor(ctx: Context, options: ImageGcOptions) {
    this.#ctx = childContext(ctx, 'image-gc');
    this.#options = options;
    this.#runtime = options.runtime;
    this.#config = options.config;
  }

  used(imageRef: string): void {
    const record = this.#records.get(imageRef);
    if (record !== undefined) record.lastUsedAt = this.#ctx.clock.monotonic();
  }

  async run(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    // The age of an image counts from its first detection, so detect images early.
    await this.#unusedImages().catch((error: unknown) =>
      logger.v(1).info('Failed to monitor images', { err: errorMessage(error) }),
    );
    for (let failedBefore = false; !signal.aborted;) {
      await clock.sleep(this.#options.periodMs ?? PERIOD_MS, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.collect();
        failedBefore = false;
      } catch (error) {
        logger.error(error, 'Image garbage collection failed');
        // A single failure may be transient; the second one is reported as an event.
        if (failedBefore) this.#options.reporter.event('Warning', 'ImageGCFailed', errorMessage(error));
        failedBefore = true;
      }
    }
  }

  /** Frees imagefs down to the low threshold if its usage is above the high one. */
  async collect(): Promise<void> {
    const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low, imageMaximumGCAge } = this.#config;
    const unused = await this.#unusedImages();
    if (imageMaximumGCAge > 0) {
      const oldest = this.#ctx.clock.monotonic() - imageMaximumGCAge;
      for (const { image, record } of unused) if (record.lastUsedAt < oldest) await this.#remove(image);
    }
    const { imageFilesystems = [] } = await this.#runtime.images.imageFsInfo({});
    const mountpoint = imageFilesystems[0]?.fsId?.mountpoint;
    if (mountpoint === undefined || high >= 100) return;
    const { capacityBytes, availableBytes } = await filesystemUse(mountpoint);
    if (capacityBytes === 0) {
      const message = 'invalid capacity 0 on image filesystem';
      this.#options.reporter.event('Warning', 'InvalidDiskCapacity', message);
      throw new Error(message);
    }
    const usedPercent = 100 - Math.floor((availableBytes * 100) / capacityBytes);
    if (usedPercent < high) return;
    const wanted = Math.floor((capacityBytes * (100 - low)) / 100) - availableBytes;
    this.#ctx.logger.info(
      'Disk usage on image filesystem is over the high threshold, trying to free bytes down to the low threshold',
      { usage: usedPercent, highThreshold: high, amountToFree: wanted, lowThreshold: low },
    );
    const freed = await this.free(wanted, unused);
    if (freed >= wanted) return;
    const message = `Failed to garbage collect required amount of images. Attempted to free ${wanted} bytes, but only found ${freed} bytes eligible to free.`;
    this.#options.reporter.event('Warning', 'FreeDiskSpaceFailed', message);
    throw new Error(message);
  }

  /** Removes unused images until enough bytes are freed. Returns the freed bytes. */
  async free(bytes: number, candidates?: readonly { image: Image; record: ImageRecord }[]): Promise<number> {
    const newest = this.#ctx.clock.monotonic() - this.#config.imageMinimumGCAge;
    let freed = 0;
    for (const { image, record } of candidates ?? (await this.#unusedImages())) {
      if (freed >= bytes) break;
      if (record.firstSeenAt > newest) continue;
      if (await this.#remove(image)) freed += image.size ?? 0;
    }
    return freed;
  }

  async #unusedImages(): Promise<{ image: Image; record: ImageRecord }[]> {
    const [{ images = [] }, { containers = [] }] = await Promise.all([
      this.#runtime.images.listImages({}),
      this.#runtime.runtime.listContainers({}),
    ]);
    const inUse = new Set([
      ...containers.flatMap(({ imageId, imageRef, image }) => [imageId, imageRef, image?.image]),
      ...this.#options.imageVolumes().flatMap((name) => [name, withDefaultTag(name)]),
    ]);
    const now = this.#ctx.clock.monotonic();
    const present = new Set(images.map(({ id }) => id));
    for (const id of this.#records.keys()) if (!present.has(id)) this.#records.delete(id);
    const unused: { image: Image; record: ImageRecord }[] = [];
    for (const image of images) {
      const id = image.id ?? '';
      const record = this.#records.get(id) ?? { firstSeenAt: now, lastUsedAt: now, size: image.size ?? 0 };
      this.#records.set(id, record);
      const isUsed =
        inUse.has(id) || [...(image.repoTags ?? []), ...(image.repoDigests ?? [])].some((name) => inUse.has(name));
      if (isUsed) record.lastUsedAt = now;
      else if (image.pinned !== true) unused.push({ image, record });
    }
    return unused.toSorted(
      (a, b) => a.record.lastUsedAt - b.record.lastUsedAt || a.record.firstSeenAt - b.record.firstSeenAt,
    );
  }

  async #remove(image: Image): Promise<boolean> {
    try {
      await this.#runtime.images.removeImage({ image: { image: image.id ?? '' } });
      this.#records.delete(image.id ?? '');
      return true;
    } catch (error) {
      this.#ctx.logger.v(1).info('Failed to remove image', { imageID: image.id, err: errorMessage(error) });
      return false;
    }
  }
}
