import { NAME_SUFFIX_ALPHABET } from '../../kernel/index.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The hash of a pod template that names ReplicaSets and labels their pods; collisions give it another start. */
export function templateHash(template: unknown, collisionCount?: number): string {
  return safeHash(template, collisionCount);
}

/** A short name-safe hash of any JSON value; the order of keys and absent values do not count. */
export function safeHash(value: unknown, salt?: number): string {
  const text = canonical(value) + (salt === undefined ? '' : `\u0000${salt}`);
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  /** The digits of the number in an alphabet without vowels: no words arise. */
  return Array.from(
    String(hash >>> 0),
    (digit) => NAME_SUFFIX_ALPHABET[digit.charCodeAt(0) % NAME_SUFFIX_ALPHABET.length],
  ).join('');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const record = value as Record<string, unknown>;
  const entries = Object.keys(record)
    .filter((key) => record[key] !== undefined)
    .sort();
  return `{${entries.map((key) => `${JSON.stringify(key)}:${canonical(record[key])}`).join()}}`;
}
