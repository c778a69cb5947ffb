/** Limits of a layer, so that a small download cannot fill the disk or use up the inodes. */
export interface UnpackLimits {
  /** Entries of one layer. */
  readonly entries: number;
  /** Uncompressed bytes of one layer. */
  readonly layerBytes: number;
  /** The maximum ratio of uncompressed to compressed size, checked after `ratioFloorBytes`. */
  readonly ratio: number;
  readonly ratioFloorBytes: number;
  /** Bytes that must stay free on the store's file system. */
  readonly freeBytes: number;
}

export const DEFAULT_UNPACK_LIMITS: UnpackLimits = {
  entries: 2_000_000,
  layerBytes: 64 * 1024 ** 3,
  ratio: 500,
  ratioFloorBytes: 256 * 1024 ** 2,
  freeBytes: 64 * 1024 ** 2,
};
