import { NAME_SUFFIX_ALPHABET } from '../../kernel/index.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The pod-template-hash. A collision count changes it. */
export function templateHash(template: unknown, collisionCount?: number): string {
  return safeHash(template, collisionCount);
}

/** A short hash of a JSON value for names; the order of keys and absent values do not matter. */
export function safeHash(value: unknown, salt?: number): string {
  const text = canonical(value) + (salt === undefined ? '' : `\u0000${salt}`);
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  // An alphabet without vowels, so that no words appear.
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
