/** How much a layer may be, so that a small download cannot fill the disk or the inode table. */
export interface UnpackLimits {
  /** Entries of one layer. */
  readonly entries: number;
  /** Uncompressed bytes of one layer. */
  readonly layerBytes: number;
  /** Uncompressed to compressed size, looked at once `ratioFloorBytes` came out. */
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
