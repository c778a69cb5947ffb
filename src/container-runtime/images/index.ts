/**
 * The image store: pulls images from registries or loads them from archives, stores blobs by digest, unpacks layers,
 * and mounts them with overlayfs as root file systems of containers. Content is untrusted until its digest is verified
 * and stays untrusted while it is unpacked: nothing is ever written outside of the store's directory.
 *
 * `openImageStore` recovers from a crash before it resolves.
 */
export type {
  DiskUsage,
  GarbageReport,
  IdMapping,
  ImageStore,
  ImageStoreOptions,
  MountedImage,
  MountImageOptions,
  PrepareSnapshotOptions,
  PullOptions,
  PullProgress,
  Snapshot,
  SnapshotStore,
  StoredImage,
  UserNamespaceMapping,
} from './image-store.ts';
export type { ImageConfig, Platform, ProcessDefaults } from './manifest/oci-types.ts';
export type {
  EndpointSettings,
  RegistryEndpoint,
  RegistryHosts,
  RegistryOptions,
} from './registry/registry-options.ts';
export { DEFAULT_UNPACK_LIMITS, type UnpackLimits } from './layers/unpack-limits.ts';
export { openImageStore } from './open-image-store.ts';
