/** Whether two JSON values are equal; the order of keys does not matter. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  let size = 0;
  for (const key in left) {
    if (left[key] === undefined) continue;
    size++;
    const other = right[key];
    if (other === undefined || !deepEqual(left[key], other)) return false;
  }
  for (const key in right) if (right[key] !== undefined) size--;
  return size === 0;
}
