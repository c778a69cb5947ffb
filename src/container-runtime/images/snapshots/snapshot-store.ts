/**
 * Snapshots: the root file systems of containers, mounted with overlayfs.
 *
 *     snapshots/<key>/snapshot.json   the record; written before anything is mounted
 *     snapshots/<key>/upper, work     the writable layer
 *     snapshots/<key>/rootfs          the default mount point
 */
import { chmod, lchown, lstat, mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory, type Context } from '../../../kernel/index.ts';
import { KeyedLock } from '../../records/keyed-lock.ts';
import { removeIfThere, replaceFile } from '../atomic-file.ts';
import { ImageError } from '../image-error.ts';
import type {
  DiskUsage,
  PrepareSnapshotOptions,
  Snapshot,
  SnapshotStore,
  StoredImage,
  UserNamespaceMapping,
} from '../image-store.ts';
import { diskUsage } from './disk-usage.ts';
import { readMounts } from './mount-table.ts';
import { cannotMapOwners, mountMappedOverlay, mountOverlay, unmountAll, type OverlayMount } from './overlay-mount.ts';
import { hostId, shiftOwners } from './shift-owners.ts';

interface SnapshotRecord extends Snapshot {
  readonly readOnly: boolean;
  readonly mountLabel?: string;
  readonly userNamespace?: UserNamespaceMapping;
  /** The files were chowned, because idmapped mounts are not supported. */
  readonly shifted?: boolean;
}

interface SnapshotStoreParts {
  readonly root: string;
  readonly image: (id: string) => StoredImage | undefined;
  /** The directory of an unpacked layer. */
  readonly layerPath: (chainId: string) => string;
}

export class OverlaySnapshots implements SnapshotStore {
  readonly #ctx: Context;
  readonly #parts: SnapshotStoreParts;
  readonly #folder: string;
  readonly #empty: string;
  readonly #records = new Map<string, SnapshotRecord>();
  readonly #locks = new KeyedLock();

  private constructor(ctx: Context, parts: SnapshotStoreParts) {
    this.#ctx = ctx;
    this.#parts = parts;
    this.#folder = join(parts.root, 'snapshots');
    this.#empty = join(parts.root, 'empty');
  }

  static async open(ctx: Context, parts: SnapshotStoreParts): Promise<OverlaySnapshots> {
    const store = new OverlaySnapshots(ctx, parts);
    // Processes in a user namespace need search permission on the way to their root.
    await makeDirectory(store.#folder, { mode: 0o711 });
    for (const name of ['0', '1']) await makeDirectory(join(store.#empty, name), { mode: 0o755 });
    for (const key of await readdir(store.#folder)) await store.#recover(key);
    return store;
  }

  get(key: string): Snapshot | undefined {
    return this.#records.get(key);
  }

  list(): readonly Snapshot[] {
    return [...this.#records.values()];
  }

  async prepare(key: string, imageId: string, options: PrepareSnapshotOptions = {}): Promise<Snapshot> {
    checkKey(key);
    return this.#locks.run(key, async () => {
      const existing = this.#records.get(key);
      if (existing !== undefined) {
        if (existing.imageId !== imageId)
          throw new ImageError('ALREADY_EXISTS', `the snapshot ${key} is one of ${existing.imageId}`);
        return this.#mountUnlessMounted(existing);
      }
      const image = this.#parts.image(imageId);
      if (image === undefined) throw new ImageError('NOT_FOUND', `the image ${imageId} is not here`);
      const record = this.#describe(key, image, options);
      try {
        return await this.#make(record);
      } catch (error) {
        await this.#destroy(record);
        throw error;
      }
    });
  }

  async remount(key: string): Promise<Snapshot> {
    return this.#locks.run(key, async () => this.#mountUnlessMounted(this.#require(key)));
  }

  async remove(key: string): Promise<void> {
    await this.#locks.run(key, async () => {
      const record = this.#records.get(key);
      if (record !== undefined) await this.#destroy(record);
    });
  }

  async usage(key: string): Promise<DiskUsage> {
    const { upperdir } = this.#require(key);
    return upperdir === undefined ? { bytes: 0, inodes: 0 } : diskUsage(upperdir);
  }

  #describe(key: string, image: StoredImage, options: PrepareSnapshotOptions): SnapshotRecord {
    const home = join(this.#folder, key);
    return {
      key,
      imageId: image.id,
      layers: image.layers,
      rootfs: options.target ?? join(home, 'rootfs'),
      ...(options.readOnly === true ? {} : { upperdir: join(home, 'upper') }),
      createdAt: this.#ctx.clock.now(),
      readOnly: options.readOnly === true,
      ...(options.mountLabel === undefined ? {} : { mountLabel: options.mountLabel }),
      ...(options.userNamespace === undefined ? {} : { userNamespace: options.userNamespace }),
    };
  }

  async #make(record: SnapshotRecord): Promise<Snapshot> {
    const home = join(this.#folder, record.key);
    // From here on the layers count as in use, so that image GC does not delete them.
    this.#records.set(record.key, record);
    await mkdir(home, { mode: record.userNamespace === undefined ? 0o700 : 0o711 });
    await this.#write(record);
    if (record.upperdir !== undefined) await this.#makeUpper(record, record.upperdir);
    await makeDirectory(record.rootfs, { mode: 0o755 });
    return this.#mount(record);
  }

  /** The root directory of the container is the upperdir itself, so it gets the owner and mode of the image's root. */
  async #makeUpper({ layers, userNamespace }: SnapshotRecord, upperdir: string): Promise<void> {
    await mkdir(upperdir, { mode: 0o755 });
    const topLayer = layers.at(-1);
    const root =
      topLayer === undefined ? { uid: 0, gid: 0, mode: 0o755 } : await lstat(`${this.#parts.layerPath(topLayer)}/.`);
    const { uidMappings = [], gidMappings = [] } = userNamespace ?? {};
    await lchown(upperdir, hostId(uidMappings, root.uid), hostId(gidMappings, root.gid));
    await chmod(upperdir, root.mode & 0o7777);
  }

  async #mountUnlessMounted(record: SnapshotRecord): Promise<Snapshot> {
    if ((await readMounts()).some((mount) => mount.target === record.rootfs)) return record;
    await makeDirectory(record.rootfs, { mode: 0o755 });
    return this.#mount(record);
  }

  async #mount(record: SnapshotRecord): Promise<Snapshot> {
    const home = join(this.#folder, record.key);
    const lowers = record.layers.map((chainId) => this.#parts.layerPath(chainId)).reverse();
    // Without an upperdir overlayfs needs two lowerdirs, and an image may have no layers.
    if (record.readOnly || lowers.length === 0) lowers.push(join(this.#empty, '0'));
    if (record.readOnly && lowers.length === 1) lowers.push(join(this.#empty, '1'));
    // After a crash, a volatile mount leaves a marker in the workdir that prevents the next mount.
    if (record.upperdir !== undefined) await emptyFolder(join(home, 'work'));
    const overlay: OverlayMount = {
      target: record.rootfs,
      lowers,
      ...(record.upperdir === undefined ? {} : { upper: { upperdir: record.upperdir, workdir: join(home, 'work') } }),
      ...(record.mountLabel === undefined ? {} : { label: record.mountLabel }),
    };
    const { userNamespace } = record;
    if (userNamespace === undefined) await mountOverlay(overlay);
    else if (record.shifted === true) await mountOverlay({ ...overlay, metadataOnlyCopies: true });
    else if (userNamespace.path === undefined) return this.#shift(record, overlay, userNamespace);
    else {
      try {
        await mountMappedOverlay(overlay, userNamespace.path, join(home, 'mapped'));
      } catch (error) {
        if (!cannotMapOwners(error) || record.readOnly) throw error;
        this.#ctx.logger.info('Idmapped mounts are not supported; changing the owners of all files', {
          key: record.key,
        });
        return this.#shift(record, overlay, userNamespace);
      }
    }
    return record;
  }

  async #shift(record: SnapshotRecord, overlay: OverlayMount, mapping: UserNamespaceMapping): Promise<Snapshot> {
    if (record.readOnly)
      throw new ImageError('FAILED_PRECONDITION', 'a read-only snapshot in a user namespace needs that namespace');
    await mountOverlay({ ...overlay, metadataOnlyCopies: true });
    // The root already has its host owner; shifting it again would map it twice.
    const root = await lstat(record.rootfs);
    await shiftOwners(record.rootfs, mapping);
    await lchown(record.rootfs, root.uid, root.gid);
    const shifted = { ...record, shifted: true };
    this.#records.set(record.key, shifted);
    await this.#write(shifted);
    return shifted;
  }

  async #destroy(record: SnapshotRecord): Promise<void> {
    await unmountAll(record.rootfs);
    const home = join(this.#folder, record.key);
    if (!record.rootfs.startsWith(`${home}/`)) await removeEmptyFolder(record.rootfs);
    await unmountBelow(home);
    await removeIfThere(home);
    this.#records.delete(record.key);
  }

  async #recover(key: string): Promise<void> {
    const home = join(this.#folder, key);
    try {
      const record = JSON.parse(await readFile(join(home, 'snapshot.json'), 'utf8')) as SnapshotRecord;
      if (record.key !== key) throw new Error('not its own record');
      this.#records.set(key, record);
    } catch {
      await unmountBelow(home);
      await removeIfThere(home);
    }
  }

  async #write(record: SnapshotRecord): Promise<void> {
    await replaceFile(join(this.#folder, record.key, 'snapshot.json'), JSON.stringify(record));
  }

  #require(key: string): SnapshotRecord {
    const record = this.#records.get(key);
    if (record === undefined) throw new ImageError('NOT_FOUND', `there is no snapshot ${key}`);
    return record;
  }
}

/** Unmounts everything below a directory before it is deleted, so that no mounted file is deleted. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = (await readMounts()).filter(({ target }) => target === folder || target.startsWith(`${folder}/`));
  for (const { target } of mounts.reverse()) await unmountAll(target);
}

async function emptyFolder(path: string): Promise<void> {
  await removeIfThere(path);
  await mkdir(path, { mode: 0o700 });
}

async function removeEmptyFolder(path: string): Promise<void> {
  await rmdir(path).catch(() => {});
}

function checkKey(key: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,200}$/.test(key))
    throw new ImageError('INVALID_ARGUMENT', `${JSON.stringify(key)} is not a key of a snapshot`);
}
