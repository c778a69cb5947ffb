/** Opens the image store and assembles it from its parts. */
import type { Readable, Writable } from 'node:stream';
import { childContext, type Context, makeDirectory } from '../../kernel/index.ts';
import { loadArchive } from './archive/load-archive.ts';
import { saveArchive } from './archive/save-archive.ts';
import { BlobStore } from './blob-store.ts';
import { collectGarbage } from './collect-garbage.ts';
import { commitImage, type CommitOptions } from './commit-image.ts';
import { readWithIdleTimeout } from './idle-timeout.ts';
import { ImageError } from './image-error.ts';
import { ImageRecords, type ImageRecord } from './image-records.ts';
import { createImageService } from './image-service.ts';
import type {
  DiskUsage,
  ImageStore,
  ImageStoreOptions,
  MountImageOptions,
  MountedImage,
  PullOptions,
  PushOptions,
  SnapshotStore,
  StoredImage,
} from './image-store.ts';
import { LayerStore } from './layers/layer-store.ts';
import { LayerWorkers } from './layers/layer-workers.ts';
import { DEFAULT_UNPACK_LIMITS } from './layers/unpack-limits.ts';
import { Leases } from './lease.ts';
import type { ImageConfig } from './manifest/oci-types.ts';
import { parseConfig } from './manifest/parse-manifest.ts';
import { machinePlatform } from './manifest/select-platform.ts';
import { ImagePuller } from './pull-image.ts';
import { pushImage } from './push-image.ts';
import { formatReference, normalizeReference } from './reference.ts';
import { isRegistryUnreachable } from './registry/registry-errors.ts';
import { ImageVolumes } from './snapshots/image-volumes.ts';
import { OverlaySnapshots } from './snapshots/snapshot-store.ts';
import { lockStore } from './store-lock.ts';
import type { StoreParts } from './store-parts.ts';

/** Opens the image store: removes leftovers of a crash and unpacks layers again that a power failure lost. */
export async function openImageStore(parent: Context, options: ImageStoreOptions): Promise<ImageStore> {
  const ctx = childContext(parent, 'images');
  const { root } = options;
  await makeDirectory(root, { mode: 0o711 });
  const unlock = lockStore(root);
  try {
    return imageStore(ctx, options, { ...(await openParts(ctx, options)), unlock });
  } catch (error) {
    unlock();
    throw error;
  }
}

interface OpenedStore {
  readonly parts: StoreParts;
  readonly workers: LayerWorkers;
  readonly images: Images;
  readonly snapshots: OverlaySnapshots;
  readonly volumes: ImageVolumes;
  readonly puller: ImagePuller;
  readonly unlock: () => void;
}

async function openParts(ctx: Context, options: ImageStoreOptions): Promise<Omit<OpenedStore, 'unlock'>> {
  const { root } = options;
  const workers = new LayerWorkers(ctx);
  const parts: StoreParts = {
    ctx,
    platform: options.platform ?? machinePlatform(),
    blobs: await BlobStore.open(root),
    layers: await LayerStore.open(ctx, root, { workers, limits: { ...DEFAULT_UNPACK_LIMITS, ...options.limits } }),
    records: await ImageRecords.open(root),
    leases: new Leases(),
  };
  const images = new Images(parts, options.pinned ?? []);
  await images.recover();
  const layerPath = (chainId: string): string => parts.layers.path(chainId);
  const snapshots = await OverlaySnapshots.open(ctx, { root, layerPath, image: (id) => images.find(id) });
  const volumes = await ImageVolumes.open(root, layerPath);
  const puller = new ImagePuller(parts, options);
  return { parts, workers, images, snapshots, volumes, puller };
}

/** An image from an archive, which has no digest of a registry, stands in where there is no way to the registry. */
async function pullOrFind(
  { images, parts, puller }: OpenedStore,
  reference: string,
  options: PullOptions | undefined,
): Promise<StoredImage> {
  try {
    return await images.load(await puller.pull(reference, options));
  } catch (error) {
    const loaded = isRegistryUnreachable(error) ? parts.records.find(reference) : undefined;
    if (loaded === undefined || loaded.digests.length > 0) throw error;
    return images.load(loaded);
  }
}

function imageStore(ctx: Context, options: ImageStoreOptions, opened: OpenedStore): ImageStore {
  const { parts, workers, images, snapshots, volumes, puller, unlock } = opened;
  const collect = async () =>
    collectGarbage(parts, () => [...snapshots.list().flatMap((snapshot) => snapshot.layers), ...volumes.layersInUse()]);
  const store = {
    resolve: (reference: string): StoredImage | undefined => images.find(reference),
    list: (): readonly StoredImage[] => images.list(),
    pull: async (reference: string, pullOptions?: PullOptions) => pullOrFind(opened, reference, pullOptions),
    remove: async (reference: string): Promise<void> => {
      if (await parts.records.remove(reference)) await collect();
    },
  };
  return {
    ...store,
    snapshots,
    service: createImageService({
      store,
      root: options.root,
      now: () => ctx.clock.now(),
      imageUsage: async () => imageUsage(parts),
      containerUsage: async () => containerUsage(snapshots),
    }),
    loadArchive: async (archive: Readable, { signal } = {}) => {
      const loaded = await loadArchive(
        parts,
        readWithIdleTimeout(archive, {
          clock: ctx.clock,
          ...(options.registries?.idleTimeoutMs === undefined
            ? {}
            : { idleTimeoutMs: options.registries.idleTimeoutMs }),
        }),
        signal,
      );
      return Promise.all(loaded.map(async (record) => images.load(record)));
    },
    saveArchive: async (references: readonly string[], archive: Writable) => saveArchive(parts, references, archive),
    push: async (reference: string, pushOptions?: PushOptions) =>
      pushImage(parts, { reference, registries: options.registries ?? {} }, pushOptions),
    commit: async (commit: CommitOptions) => images.load(await commitImage(parts, commit)),
    tag: async (source: string, target: string) => {
      const record = images.record(source);
      const reference = normalizeReference(target);
      if (reference.tag === undefined) throw new ImageError('INVALID_ARGUMENT', `${target} is not a name with a tag`);
      return images.load(await parts.records.add(record, { tag: formatReference(reference) }));
    },
    mountImage: async (imageId: string, target: string, mountOptions?: MountImageOptions): Promise<MountedImage> =>
      volumes.mount(await images.load(images.record(imageId)), target, mountOptions),
    unmountImage: async (target: string) => volumes.unmount(target),
    collectGarbage: async () => {
      await parts.blobs.removeUnfinished();
      return collect();
    },
    close: async () => {
      await puller.close();
      await parts.layers.close();
      await workers.close();
      unlock();
    },
  };
}

/** The recorded images with their configs. */
class Images {
  readonly #parts: StoreParts;
  readonly #pinned: ReadonlySet<string>;
  readonly #configs = new Map<string, ImageConfig>();

  constructor(parts: StoreParts, pinned: readonly string[]) {
    this.#parts = parts;
    this.#pinned = new Set(pinned.map((reference) => formatReference(normalizeReference(reference))));
  }

  /** Reads the configs. Unpacks missing layers; removes images whose blobs are missing. */
  async recover(): Promise<void> {
    const { records, blobs, layers, ctx } = this.#parts;
    for (const record of records.list()) {
      try {
        const { config } = await this.load(record);
        for (const [index, chainId] of record.layers.entries()) {
          const [diffId, blob] = [config.rootfs.diff_ids[index] ?? '', blobs.path(record.layerBlobs[index] ?? '')];
          await layers.unpack({ chainId, diffId, blob, below: record.layers.slice(0, index) });
        }
      } catch (error) {
        ctx.logger.error(error, 'Removing damaged image', { image: record.id, tags: record.tags });
        await records.remove(record.id);
      }
    }
  }

  async load(record: ImageRecord): Promise<StoredImage> {
    if (!this.#configs.has(record.id))
      this.#configs.set(record.id, parseConfig(await this.#parts.blobs.read(record.id)));
    return this.#stored(record);
  }

  record(reference: string): ImageRecord {
    const record = this.#parts.records.find(reference);
    if (record === undefined) throw new ImageError('NOT_FOUND', `image ${JSON.stringify(reference)}: not found`);
    return record;
  }

  find(reference: string): StoredImage | undefined {
    const record = this.#parts.records.find(reference);
    return record === undefined ? undefined : this.#stored(record);
  }

  list(): readonly StoredImage[] {
    return this.#parts.records
      .list()
      .filter(({ id }) => this.#configs.has(id))
      .map((record) => this.#stored(record));
  }

  #stored(record: ImageRecord): StoredImage {
    const config = this.#configs.get(record.id);
    if (config === undefined) throw new ImageError('UNAVAILABLE', `the image ${record.id} is still being recorded`);
    const { id, manifestDigest, tags, digests, layers, size } = record;
    return {
      id,
      manifestDigest,
      tags,
      digests,
      layers,
      size,
      config,
      pinned: tags.some((tag) => this.#pinned.has(tag)),
    };
  }
}

async function imageUsage({ blobs, layers }: StoreParts): Promise<DiskUsage> {
  const stored = await blobs.list();
  return {
    bytes: [...stored.map(({ size }) => size), ...layers.list().map(({ bytes }) => bytes)].reduce(
      (sum, bytes) => sum + bytes,
      0,
    ),
    inodes: stored.length + layers.list().reduce((sum, { inodes }) => sum + inodes, 0),
  };
}

async function containerUsage(snapshots: SnapshotStore): Promise<DiskUsage> {
  let [bytes, inodes] = [0, 0];
  for (const { key } of snapshots.list()) {
    // The snapshot may be removed while its files are counted.
    const usage = await snapshots.usage(key).catch(() => ({ bytes: 0, inodes: 0 }));
    bytes += usage.bytes;
    inodes += usage.inodes;
  }
  return { bytes, inodes };
}
