/** The interface of the image store to the rest of the container runtime. */
import type { Readable, Writable } from 'node:stream';
import type { ImageService } from '../../cri/index.ts';
import type { CommitOptions } from './commit-image.ts';
import type { UnpackLimits } from './layers/unpack-limits.ts';
import type { ImageConfig, Platform } from './manifest/oci-types.ts';
import type { RegistryAccess } from './registry/open-registry.ts';
import type { RegistryOptions } from './registry/registry-options.ts';

export interface ImageStoreOptions {
  /** The directory of blobs, layers and snapshots; created if missing. */
  readonly root: string;
  /** Default: the host's platform. */
  readonly platform?: Platform;
  readonly registries?: RegistryOptions;
  readonly limits?: Partial<UnpackLimits>;
  /** References that the kubelet's image garbage collection must not remove. */
  readonly pinned?: readonly string[];
  /** Concurrent downloads per image; default 3. */
  readonly parallelDownloads?: number;
}

export interface ImageStore {
  /** The CRI image service over this store. */
  readonly service: ImageService;
  readonly snapshots: SnapshotStore;
  /** Finds an image by tag, digest reference, image id, or an unambiguous prefix of an id. */
  resolve(reference: string): StoredImage | undefined;
  list(): readonly StoredImage[];
  pull(reference: string, options?: PullOptions): Promise<StoredImage>;
  /** Pushes an image by its name; resolves to the digest of its manifest. */
  push(reference: string, options?: PushOptions): Promise<string>;
  /** Loads a `docker save` or OCI layout archive, compressed or not. Resolves to its images. */
  loadArchive(archive: Readable, options?: { readonly signal?: AbortSignal }): Promise<readonly StoredImage[]>;
  /** Writes an archive that both `docker load` and OCI tools read; ends the stream. */
  saveArchive(references: readonly string[], archive: Writable): Promise<void>;
  /** Adds a layer and a config to an image, as a new image. */
  commit(options: CommitOptions): Promise<StoredImage>;
  /** Adds a name to an image. */
  tag(source: string, target: string): Promise<StoredImage>;
  /** By id, removes the image; by reference, removes the name, and the image with its last one. */
  remove(reference: string): Promise<void>;
  /** Mounts an image read-only at `target` (an existing directory), for image volumes. */
  mountImage(imageId: string, target: string, options?: MountImageOptions): Promise<MountedImage>;
  /** Undoes `mountImage`; does nothing if nothing is mounted there. */
  unmountImage(target: string): Promise<void>;
  /** Image GC: deletes blobs, layers and partial downloads that nothing uses. */
  collectGarbage(): Promise<GarbageReport>;
  /** Cancels pulls and closes the store. Mounts stay, because containers outlive the runtime. */
  close(): Promise<void>;
}

export interface StoredImage {
  /** `sha256:…` of the image's config, as `docker images` and CRI name it. */
  readonly id: string;
  readonly manifestDigest: string;
  /** Full names with a tag, e.g. `docker.io/library/busybox:1.36`. */
  readonly tags: readonly string[];
  /** Full names with a digest, e.g. `docker.io/library/busybox@sha256:…`. */
  readonly digests: readonly string[];
  readonly config: ImageConfig;
  /** Chain ids of the unpacked layers, lowest first. */
  readonly layers: readonly string[];
  /** Bytes of manifest, config and (compressed) layers. */
  readonly size: number;
  readonly pinned: boolean;
}

export interface PullOptions extends RegistryAccess {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: PullProgress) => void;
}

export type PushOptions = PullOptions;

export interface PullProgress {
  readonly digest: string;
  readonly received: number;
  readonly size: number;
}

export interface IdMapping {
  readonly hostId: number;
  readonly containerId: number;
  readonly length: number;
}

/** The user namespace of a container's root file system. */
export interface UserNamespaceMapping {
  readonly uidMappings: readonly IdMapping[];
  readonly gidMappings: readonly IdMapping[];
  /** A pinned namespace with these mappings, for idmapped mounts; without it every file is chowned. */
  readonly path?: string;
}

export interface PrepareSnapshotOptions {
  /** The mount point; default `rootfs` in the snapshot's directory. */
  readonly target?: string;
  readonly userNamespace?: UserNamespaceMapping;
  /** Mounts without a writable layer. */
  readonly readOnly?: boolean;
  /** SELinux label of the mount. */
  readonly mountLabel?: string;
}

/** A container's root file system: an image's layers below a writable layer. */
export interface Snapshot {
  readonly key: string;
  readonly imageId: string;
  /** The mounted root file system. */
  readonly rootfs: string;
  /** The writable layer; absent for read-only snapshots. */
  readonly upperdir?: string;
  /** Chain ids of the layers below, lowest first. */
  readonly layers: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface SnapshotStore {
  /** Creates and mounts a snapshot; if the key exists, mounts and returns the existing one. */
  prepare(key: string, imageId: string, options?: PrepareSnapshotOptions): Promise<Snapshot>;
  /** Mounts a snapshot again after a reboot; does nothing if it is mounted. */
  remount(key: string): Promise<Snapshot>;
  /** Unmounts and deletes a snapshot; does nothing if there is none. */
  remove(key: string): Promise<void>;
  get(key: string): Snapshot | undefined;
  list(): readonly Snapshot[];
  /** The disk usage of the writable layer. */
  usage(key: string): Promise<DiskUsage>;
}

export interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}

export interface MountImageOptions {
  /** A path inside the image to mount instead of its root; it cannot leave the image. */
  readonly subPath?: string;
  readonly userNamespace?: UserNamespaceMapping;
  readonly mountLabel?: string;
}

export interface MountedImage {
  readonly target: string;
  readonly imageId: string;
}

export interface GarbageReport {
  readonly blobs: number;
  readonly layers: number;
  readonly bytes: number;
}
