/**
 * Semantic equality of values in canonical form (upstream's apiequality.Semantic). Absent, null and an empty list are
 * equal; an empty message is not equal to an absent one. Quantities are compared by value.
 */
import { ownValue } from '../../base/index.ts';
import { compareQuantities, quantityOrUndefined } from './quantities.ts';

export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNothing(a)) return isNothing(b);
  if (isNothing(b) || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!semanticEqual(a[i], b[i])) return false;
    return true;
  }
  return sameFields(a as Record<string, unknown>, b as Record<string, unknown>, semanticEqual);
}

type Equality = (a: unknown, b: unknown) => boolean;

/** Fields that hold quantities or resource lists. In other fields `1Ki` and `1024` are different strings. */
const QUANTITY_FIELDS = new Set([
  'limits',
  'requests',
  'overhead',
  'capacity',
  'allocatable',
  'allocatedResources',
  'hard',
  'used',
  'sizeLimit',
  'divisor',
]);

function sameFields(a: Record<string, unknown>, b: Record<string, unknown>, equal: Equality): boolean {
  for (const key in a) {
    const other = ownValue(b, key);
    if (!equal(a[key], other) && !(QUANTITY_FIELDS.has(key) && sameQuantities(a[key], other))) return false;
  }
  for (const key in b) if (!Object.hasOwn(a, key) && !isNothing(b[key])) return false;
  return true;
}

function sameQuantities(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    return (
      quantityOrUndefined(a) !== undefined && quantityOrUndefined(b) !== undefined && compareQuantities(a, b) === 0
    );
  }
  if (
    isNothing(a) ||
    isNothing(b) ||
    typeof a !== 'object' ||
    typeof b !== 'object' ||
    Array.isArray(a) ||
    Array.isArray(b)
  )
    return false;
  return sameFields(
    a as Record<string, unknown>,
    b as Record<string, unknown>,
    (x, y) => x === y || sameQuantities(x, y),
  );
}

const isNothing = (value: unknown): value is null | undefined | [] =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
