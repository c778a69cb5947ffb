/**
 * Images: pulled from registries or loaded from archives, kept by the digest of their content, unpacked into layers,
 * and mounted with overlayfs as root file systems of containers. What comes from outside is hostile until its digest
 * is verified, and stays hostile while it is unpacked: nothing is ever written outside of the store's own folder.
 *
 * `openImageStore` recovers what a crash left behind before it resolves.
 */
export type { ImageStore, ImageStoreOptions, Snapshot, StoredImage, UserNamespaceMapping } from './image-store.ts';
export type { ProcessDefaults } from './manifest/oci-types.ts';

export { openImageStore } from './open-image-store.ts';
