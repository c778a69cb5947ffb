/** What a slow reader may have waiting before its writer is told to wait. */
export const HIGH_WATER_BYTES = 64 * 1024;
/** When the writer is told to go on: many events at once cost a fraction of what they cost one by one. */
export const LOW_WATER_BYTES = 16 * 1024;
