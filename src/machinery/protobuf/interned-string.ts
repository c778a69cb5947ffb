/**
 * The strings of API objects repeat (labels, enumerations, names of fields and owners). Short ASCII strings are looked up
 * by their bytes in a fixed table before a new string is made: cheaper than making one, and equal strings share memory.
 */
const LONGEST = 40;
const SLOTS = 8192;
const table: (string | undefined)[] = new Array<string | undefined>(SLOTS).fill(undefined);

export function internedString(buffer: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0) return '';
  if (length > LONGEST) return buffer.toString('utf8', start, end);
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
  const made = buffer.toString('latin1', start, end);
  table[slot] = made;
  return made;
}

function equals(text: string, buffer: Buffer, start: number): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) !== buffer[start + i]) return false;
  }
  return true;
}
