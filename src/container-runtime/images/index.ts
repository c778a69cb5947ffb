/**
 * The image store: pulls images from registries or loads them from archives, stores blobs by digest, unpacks layers,
 * and mounts them with overlayfs as root file systems of containers. Content is untrusted until its digest is verified
 * and stays untrusted while it is unpacked: nothing is ever written outside of the store's directory.
 *
 * `openImageStore` recovers from a crash before it resolves.
 */
export type {
  ImageStore,
  ImageStoreOptions,
  PullOptions,
  PullProgress,
  Snapshot,
  StoredImage,
  UserNamespaceMapping,
} from './image-store.ts';
export type { ProcessDefaults } from './manifest/oci-types.ts';

export { openImageStore } from './open-image-store.ts';
