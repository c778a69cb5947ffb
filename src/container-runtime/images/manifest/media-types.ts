/** Media types of the documents that make an image. */
export const MANIFEST_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
] as const;

export const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
] as const;

/** Docker's schema 1, whose layers cannot be verified; it is refused. */
export const SCHEMA_1_TYPES = [
  'application/vnd.docker.distribution.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v1+prettyjws',
] as const;

export const OCI_MANIFEST = MANIFEST_TYPES[0];
export const OCI_INDEX = INDEX_TYPES[0];
export const OCI_CONFIG = 'application/vnd.oci.image.config.v1+json';
export const OCI_LAYER = 'application/vnd.oci.image.layer.v1.tar';

/** The Accept header of manifest requests. */
export const ACCEPT = [...MANIFEST_TYPES, ...INDEX_TYPES, '*/*'].join(', ');

/** Whether a media type is a file system layer, including `nondistributable` and Docker's `foreign` ones. */
export function isLayerType(mediaType: string): boolean {
  return /^application\/vnd\.(?:oci\.image\.layer\.(?:nondistributable\.)?v1\.tar(?:\+(?:gzip|zstd))?|docker\.image\.rootfs\.(?:foreign\.)?diff\.tar(?:\.(?:gzip|zstd))?)$/.test(
    mediaType,
  );
}
