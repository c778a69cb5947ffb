/** Removes images that no container uses when the disk fills up, those that were not used for longest first. */
import type { ContainerRuntime, Image } from '../../cri/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import { filesystemUse } from '../node/machine.ts';
import { messageOf } from './image-manager.ts';

const PERIOD_MS = 5 * 60_000;

interface Record {
  readonly firstSeenAt: number;
  lastUsedAt: number;
  size: number;
}

export class ImageGarbageCollector {
  readonly #ctx: Context;
  readonly #runtime: ContainerRuntime;
  readonly #config: KubeletConfiguration;
  readonly #records = new Map<string, Record>();

  constructor(ctx: Context, options: { runtime: ContainerRuntime; config: KubeletConfiguration }) {
    this.#ctx = childContext(ctx, 'image-gc');
    this.#runtime = options.runtime;
    this.#config = options.config;
  }

  used(imageRef: string): void {
    const record = this.#records.get(imageRef);
    if (record !== undefined) record.lastUsedAt = this.#ctx.clock.now();
  }

  async run(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    while (!signal.aborted) {
      await clock.sleep(PERIOD_MS, signal).catch(() => {});
      if (signal.aborted) return;
      await this.collect().catch((error: unknown) => logger.error(error, 'Image garbage collection failed'));
    }
  }

  /** Brings the image file system below the low threshold if it is above the high one. */
  async collect(): Promise<void> {
    const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low, imageMaximumGCAge } = this.#config;
    const unused = await this.#unusedImages();
    if (imageMaximumGCAge > 0) {
      const oldest = this.#ctx.clock.now() - imageMaximumGCAge;
      for (const { image, record } of unused) if (record.lastUsedAt < oldest) await this.#remove(image);
    }
    const { imageFilesystems = [] } = await this.#runtime.images.imageFsInfo({});
    const mountpoint = imageFilesystems[0]?.fsId?.mountpoint;
    if (mountpoint === undefined || high >= 100) return;
    const { capacityBytes, availableBytes } = await filesystemUse(mountpoint);
    const usedPercent = 100 - Math.floor((availableBytes * 100) / capacityBytes);
    if (usedPercent < high) return;
    await this.free(Math.ceil((capacityBytes * (100 - low)) / 100 - availableBytes), unused);
  }

  /** Removes unused images until so many bytes are free; gives the bytes that were freed. */
  async free(bytes: number, candidates?: readonly { image: Image; record: Record }[]): Promise<number> {
    const youngest = this.#ctx.clock.now() - this.#config.imageMinimumGCAge;
    let freed = 0;
    for (const { image, record } of candidates ?? (await this.#unusedImages())) {
      if (freed >= bytes) break;
      if (record.firstSeenAt > youngest && bytes !== Infinity) continue;
      if (await this.#remove(image)) freed += image.size ?? 0;
    }
    return freed;
  }

  async #unusedImages(): Promise<{ image: Image; record: Record }[]> {
    const [{ images = [] }, { containers = [] }] = await Promise.all([this.#runtime.images.listImages({}), this.#runtime.runtime.listContainers({})]);
    const inUse = new Set(containers.flatMap(({ imageId, imageRef, image }) => [imageId, imageRef, image?.image]));
    const now = this.#ctx.clock.now();
    const present = new Set(images.map(({ id }) => id));
    for (const id of this.#records.keys()) if (!present.has(id)) this.#records.delete(id);
    const unused: { image: Image; record: Record }[] = [];
    for (const image of images) {
      const id = image.id ?? '';
      const record = this.#records.get(id) ?? { firstSeenAt: now, lastUsedAt: now, size: image.size ?? 0 };
      this.#records.set(id, record);
      const isUsed = inUse.has(id) || [...(image.repoTags ?? []), ...(image.repoDigests ?? [])].some((name) => inUse.has(name));
      if (isUsed) record.lastUsedAt = now;
      else if (image.pinned !== true) unused.push({ image, record });
    }
    return unused.toSorted((a, b) => a.record.lastUsedAt - b.record.lastUsedAt || a.record.firstSeenAt - b.record.firstSeenAt);
  }

  async #remove(image: Image): Promise<boolean> {
    try {
      await this.#runtime.images.removeImage({ image: { image: image.id ?? '' } });
      this.#records.delete(image.id ?? '');
      return true;
    } catch (error) {
      this.#ctx.logger.v(1).info('Failed to remove an image', { image: image.id, err: messageOf(error) });
      return false;
    }
  }
}
