/** The one-time authenticator Poly1305, in numbers of arbitrary size: what it protects here is small. */
const PRIME = (1n << 130n) - 5n;
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn;
const MASK_128 = (1n << 128n) - 1n;

/** `key`: 32 bytes, of which the first half multiplies and the second is added. */
export function poly1305(key: Buffer, message: Buffer): Buffer {
  const r = littleEndian(key.subarray(0, 16)) & CLAMP;
  let sum = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16);
    sum = ((sum + littleEndian(block) + (1n << BigInt(block.length * 8))) * r) % PRIME;
  }
  const tag = (sum + littleEndian(key.subarray(16, 32))) & MASK_128;
  return Buffer.from(tag.toString(16).padStart(32, '0'), 'hex').reverse();
}

function littleEndian(bytes: Buffer): bigint {
  if (bytes.length === 16) return bytes.readBigUInt64LE(0) | (bytes.readBigUInt64LE(8) << 64n);
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex') || '0'}`);
}
