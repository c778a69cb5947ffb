/** FNV hashes of 32 and 128 bits, as Go's hash/fnv computes them. */
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

export function fnv32(bytes: Uint8Array): number {
  let hash = OFFSET;
  for (const byte of bytes) hash = Math.imul(hash, PRIME) ^ byte;
  return hash >>> 0;
}

export function fnv32a(bytes: Uint8Array): number {
  let hash = OFFSET;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}

const OFFSET_128 = 0x6c62272e07bb014262b821756295c58dn;
const PRIME_128 = 0x1000000000000000000013bn;

/** In hexadecimal digits. */
export function fnv128a(bytes: Uint8Array): string {
  let hash = OFFSET_128;
  for (const byte of bytes) hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * PRIME_128);
  return hash.toString(16).padStart(32, '0');
}
