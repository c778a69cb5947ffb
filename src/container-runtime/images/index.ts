/**
 * Images: pulled from registries or loaded from archives, kept by the digest of their content, unpacked into layers,
 * and mounted with overlayfs as root file systems of containers. What comes from outside is hostile until its digest
 * is verified, and stays hostile while it is unpacked: nothing is ever written outside of the store's own folder.
 *
 * `openImageStore` recovers what a crash left behind before it resolves.
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
