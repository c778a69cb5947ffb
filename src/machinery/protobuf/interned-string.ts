/**
 * Interns short strings while decoding. The strings of API objects repeat (labels, enums, names), so short ASCII
 * strings are looked up by their bytes in a fixed table: cheaper than creating a string, and equal strings share
 * memory.
 */
const MAX_LENGTH = 40;
const SLOTS = 8192;
const table: (string | undefined)[] = new Array<string | undefined>(SLOTS).fill(undefined);

export function internedString(buffer: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0) return '';
  if (length > MAX_LENGTH) return buffer.toString('utf8', start, end);
  let hash = length;
  let seen = 0;
  for (let i = start; i < end; i++) {
    const byte = buffer[i]!;
    seen |= byte;
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  if (seen >= 0x80) return buffer.toString('utf8', start, end);
  const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
  const known = table[slot];
  if (known !== undefined && known.length === length && equals(known, buffer, start)) return known;
  const text = buffer.toString('latin1', start, end);
  table[slot] = text;
  return text;
}

function equals(text: string, buffer: Buffer, start: number): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) !== buffer[start + i]) return false;
  }
  return true;
}
