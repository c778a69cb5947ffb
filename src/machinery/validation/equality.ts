/**
 * Equality of values in canonical form. Absent, null and an empty list are the same thing; an empty message is not,
 * since canonical form has already dropped what means nothing.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNothing(a)) return isNothing(b);
  if (isNothing(b) || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!semanticEqual(a[i], b[i])) return false;
    return true;
  }
  return sameFields(a as Record<string, unknown>, b as Record<string, unknown>);
}

function sameFields(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  for (const key in a) if (!semanticEqual(a[key], b[key])) return false;
  for (const key in b) if (!(key in a) && !isNothing(b[key])) return false;
  return true;
}

const isNothing = (value: unknown): value is null | undefined | [] =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
