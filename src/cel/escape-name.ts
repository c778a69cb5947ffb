/** Escapes field names for CEL expressions: `a-b` is `a__dash__b`, `namespace` is `__namespace__`. */
import { RESERVED } from './lexer.ts';

const ESCAPED = new Set([...RESERVED, 'true', 'false', 'null', 'in']);
const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' }),
);

/** Undefined for names that an expression cannot refer to. */
export function escapeName(name: string): string | undefined {
  if (ESCAPED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[.\-/]/g, (found) => ESCAPES.get(found)!);
}
