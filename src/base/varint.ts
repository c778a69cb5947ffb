/** Protobuf varints, for messages that are encoded by hand. */

/** An unsigned integer up to 2^53 - 1. */
export function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 0x80);
  }
}

/**
 * The integer at an offset and the offset after it; undefined if the bytes end too early or it is longer than ten
 * bytes.
 */
export function decodeVarint(
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly next: number } | undefined {
  let value = 0;
  for (let i = 0, scale = 1; i < 10; i++, scale *= 128) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, next: at + i + 1 };
  }
  return undefined;
}
