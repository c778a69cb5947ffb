/** Validates the conditions of this group, which are identified by type. */
import { duplicate, type FieldError, path, required } from '../../errors/index.ts';

export function validateConditionTypes(
  errors: FieldError[],
  conditions: readonly { type?: string }[] | undefined | null,
): void {
  const seen = new Set<string>();
  for (const [i, { type = '' }] of (conditions ?? []).entries()) {
    const at = path('status', 'conditions').index(i).child('type');
    if (seen.has(type)) errors.push(duplicate(at, type));
    seen.add(type);
    if (type === '') errors.push(required(at));
  }
}
