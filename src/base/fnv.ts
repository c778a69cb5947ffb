/** FNV hashes of 32 bits, as Go's hash/fnv computes them. */
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
