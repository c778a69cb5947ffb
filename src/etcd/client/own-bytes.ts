/**
 * Messages are views into what the socket read, up to 64 KiB at a time, and values of the store are kept: a small one must not
 * keep the rest of its read alive.
 */
export const ownBytes = (message: Buffer): Buffer =>
  message.buffer.byteLength > 2 * message.length ? Buffer.from(message) : message;
