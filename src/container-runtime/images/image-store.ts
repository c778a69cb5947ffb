/** What the image store offers to the rest of the container runtime. */
import type { Readable, Writable } from 'node:stream';
import type { AuthConfig, ImageService } from '../../cri/index.ts';
import type { UnpackLimits } from './layers/unpack-limits.ts';
import type { ImageConfig, Platform } from './manifest/oci-types.ts';
import type { RegistryOptions } from './registry/registry-options.ts';

export interface ImageStoreOptions {
  /** The folder that holds blobs, layers and snapshots; made when it is missing. */
  readonly root: string;
  /** Default: the machine's own. */
  readonly platform?: Platform;
  readonly registries?: RegistryOptions;
  readonly limits?: Partial<UnpackLimits>;
  /** References that the kubelet's garbage collection must leave alone. */
  readonly pinned?: readonly string[];
  /** Blobs of one image that are downloaded at a time; default 3. */
  readonly parallelDownloads?: number;
}

export interface ImageStore {
  /** The CRI image service over this store. */
  readonly service: ImageService;
  readonly snapshots: SnapshotStore;
  /** By tag, digest reference, image id, or an unambiguous prefix of an id; undefined when it is not here. */
  resolve(reference: string): StoredImage | undefined;
  list(): readonly StoredImage[];
  pull(reference: string, options?: PullOptions): Promise<StoredImage>;
  /** A `docker save` or OCI layout archive, also compressed as a whole. Resolves to what it held. */
  loadArchive(archive: Readable, options?: { readonly signal?: AbortSignal }): Promise<readonly StoredImage[]>;
  /** Writes an archive that both `docker load` and OCI tools read; ends the stream. */
  saveArchive(references: readonly string[], archive: Writable): Promise<void>;
  /** Gives an image one more name. */
  tag(source: string, target: string): Promise<StoredImage>;
  /** By id: the image with all of its names. By reference: that name, and the image with its last one. */
  remove(reference: string): Promise<void>;
  /** Mounts an image read-only at `target` (an existing folder), for image volumes. */
  mountImage(imageId: string, target: string, options?: MountImageOptions): Promise<MountedImage>;
  /** Undoes `mountImage`; not an error when nothing is mounted there. */
  unmountImage(target: string): Promise<void>;
  /** Deletes blobs, layers and leftovers that nothing refers to. */
  collectGarbage(): Promise<GarbageReport>;
  /** Ends running work. Mounts stay: containers outlive the runtime. */
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

export interface PullOptions {
  readonly auth?: AuthConfig;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: PullProgress) => void;
}

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

/** The user namespace that a root file system is seen from. */
export interface UserNamespaceMapping {
  readonly uidMappings: readonly IdMapping[];
  readonly gidMappings: readonly IdMapping[];
  /** A pinned namespace with these mappings; without it files are given to their new owners one by one. */
  readonly path?: string;
}

export interface PrepareSnapshotOptions {
  /** Where to mount; default: `rootfs` in the snapshot's own folder. */
  readonly target?: string;
  readonly userNamespace?: UserNamespaceMapping;
  /** Mounts without a writable layer. */
  readonly readOnly?: boolean;
  /** SELinux label of the mount. */
  readonly mountLabel?: string;
}

/** A container's root file system: an image's layers below a folder of its own. */
export interface Snapshot {
  readonly key: string;
  readonly imageId: string;
  /** The mounted root file system. */
  readonly rootfs: string;
  /** What the container wrote; absent for read-only snapshots. */
  readonly upperdir?: string;
  /** Chain ids of the layers below, lowest first. */
  readonly layers: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface SnapshotStore {
  /** Makes and mounts a snapshot. With a key that exists already it makes sure of the mount and gives that one. */
  prepare(key: string, imageId: string, options?: PrepareSnapshotOptions): Promise<Snapshot>;
  /** Mounts again what a reboot has unmounted; does nothing for a snapshot that is mounted. */
  remount(key: string): Promise<Snapshot>;
  /** Unmounts and deletes; not an error when there is none. */
  remove(key: string): Promise<void>;
  get(key: string): Snapshot | undefined;
  list(): readonly Snapshot[];
  /** What the writable layer takes on disk. */
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
