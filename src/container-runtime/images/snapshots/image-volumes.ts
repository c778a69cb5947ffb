/** Image volumes: images mounted read-only at a path of the caller. Records protect their layers from image GC. */
import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../../kernel/index.ts';
import { mount, MS } from '../../linux/file-system-calls.ts';
import { removeIfThere, replaceFile } from '../atomic-file.ts';
import { ImageError } from '../image-error.ts';
import type { MountedImage, MountImageOptions, StoredImage } from '../image-store.ts';
import { isMounted, readMounts } from './mount-table.ts';
import { mountMappedOverlay, mountOverlay, unmountAll } from './overlay-mount.ts';
import { resolveInside } from './resolve-inside.ts';

interface VolumeRecord extends MountedImage {
  readonly layers: readonly string[];
}

const READ_ONLY = MS.RDONLY | MS.NOSUID | MS.NODEV | MS.NOEXEC;

export class ImageVolumes {
  readonly #folder: string;
  readonly #empty: string;
  readonly #layerPath: (chainId: string) => string;
  readonly #records = new Map<string, VolumeRecord>();

  private constructor(root: string, layerPath: (chainId: string) => string) {
    this.#folder = join(root, 'volumes');
    this.#empty = join(root, 'empty');
    this.#layerPath = layerPath;
  }

  static async open(root: string, layerPath: (chainId: string) => string): Promise<ImageVolumes> {
    const volumes = new ImageVolumes(root, layerPath);
    await makeDirectory(volumes.#folder, { mode: 0o700 });
    for (const name of ['0', '1']) await makeDirectory(join(volumes.#empty, name), { mode: 0o755 });
    const mounted = new Set((await readMounts()).map(({ target }) => target));
    for (const name of await readdir(volumes.#folder)) {
      const record = await readRecord(join(volumes.#folder, name, 'volume.json'));
      if (record !== undefined && mounted.has(record.target)) volumes.#records.set(record.target, record);
      else await volumes.#forget(name);
    }
    return volumes;
  }

  /** Chain ids of the mounted layers. */
  layersInUse(): string[] {
    return [...this.#records.values()].flatMap((record) => record.layers);
  }

  async mount(image: StoredImage, target: string, options: MountImageOptions = {}): Promise<MountedImage> {
    const mountPoint = await realpath(target);
    const existing = this.#records.get(mountPoint);
    if (existing?.imageId === image.id && (await isMounted(mountPoint))) return existing;
    const name = nameOf(mountPoint);
    const home = join(this.#folder, name);
    await makeDirectory(home, { mode: 0o700 });
    const record: VolumeRecord = { target: mountPoint, imageId: image.id, layers: image.layers };
    this.#records.set(mountPoint, record);
    await replaceFile(join(home, 'volume.json'), JSON.stringify(record));
    try {
      await this.#mountAt(record, home, options);
    } catch (error) {
      await this.unmount(mountPoint);
      throw error;
    }
    return record;
  }

  async unmount(target: string): Promise<void> {
    const mountPoint = await realpath(target).catch(() => target);
    if (!this.#records.has(mountPoint)) return;
    await unmountAll(mountPoint);
    await this.#forget(nameOf(mountPoint));
    this.#records.delete(mountPoint);
  }

  async #mountAt(record: VolumeRecord, home: string, options: MountImageOptions): Promise<void> {
    const isWholeImage = options.subPath === undefined || options.subPath === '';
    const stack = isWholeImage ? record.target : join(home, 'rootfs');
    if (!isWholeImage) await makeDirectory(stack, { mode: 0o755 });
    // Without an upperdir overlayfs needs two lowerdirs, and an image may have no layers.
    const lowers = [...record.layers.map(this.#layerPath).reverse(), join(this.#empty, '0')];
    if (lowers.length === 1) lowers.push(join(this.#empty, '1'));
    const overlay = {
      target: stack,
      lowers,
      ...(options.mountLabel === undefined ? {} : { label: options.mountLabel }),
    };
    const { userNamespace } = options;
    if (userNamespace === undefined) await mountOverlay(overlay);
    else if (userNamespace.path === undefined)
      throw new ImageError('FAILED_PRECONDITION', 'an image volume in a user namespace needs that namespace');
    else await mountMappedOverlay(overlay, userNamespace.path, join(home, 'mapped'));
    if (!isWholeImage) {
      const source = await resolveInside(stack, options.subPath ?? '');
      if (!(await stat(source)).isDirectory())
        throw new ImageError('INVALID_ARGUMENT', `the path ${options.subPath} of the image is not a folder`);
      mount(source, record.target, { flags: MS.BIND });
      await unmountAll(stack);
    }
    mount('', record.target, { flags: MS.REMOUNT | MS.BIND | READ_ONLY });
  }

  async #forget(name: string): Promise<void> {
    const home = join(this.#folder, name);
    await unmountAll(join(home, 'rootfs'));
    await rm(join(home, 'volume.json'), { force: true });
    await removeIfThere(home);
  }
}

function nameOf(target: string): string {
  return createHash('sha256').update(target).digest('hex').slice(0, 32);
}

async function readRecord(path: string): Promise<VolumeRecord | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as VolumeRecord;
  } catch {
    return undefined;
  }
}
