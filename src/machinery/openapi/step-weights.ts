/** Weights of the steps in which documents are made. */
const BYTES_PER_STEP = 2048;

export const weightOf = (bytes: Uint8Array): number => Math.ceil(bytes.length / BYTES_PER_STEP);

/** The weight of a step after which other requests should be served at once. */
export const HEAVY = 1000;
