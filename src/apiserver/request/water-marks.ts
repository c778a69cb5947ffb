/** Above this many waiting bytes, the writer waits. */
export const HIGH_WATER_BYTES = 64 * 1024;
/** Below this, the writer continues: many events at once cost a fraction of what they cost one by one. */
export const LOW_WATER_BYTES = 16 * 1024;
