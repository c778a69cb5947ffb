/** Validates the replica counts in the status of workloads. */
import { type FieldError, invalidValue, type Path } from '../../errors/index.ts';
import { validateNonnegative } from '../object-meta.ts';

type Counters = Readonly<Record<string, number | undefined>>;

export function validateNonnegativeCounters(
  errors: FieldError[],
  status: object,
  names: readonly string[],
  at: Path,
): void {
  for (const name of names) validateNonnegative(errors, (status as Counters)[name], at.child(name));
}

export function validateNotGreater(
  errors: FieldError[],
  status: object,
  [name, bound]: readonly [name: string, bound: string],
  { at, detail }: { at: Path; detail: string },
): void {
  const counters = status as Counters;
  const value = counters[name] ?? 0;
  if (value > (counters[bound] ?? 0)) errors.push(invalidValue(at.child(name), value, detail));
}

export const OVER_REPLICAS = 'cannot be greater than status.replicas';

/** collisionCount must not decrease. */
export function validateCollisionCount(
  errors: FieldError[],
  status: { collisionCount?: number } | undefined,
  old: { collisionCount?: number } | undefined,
  at: Path,
): void {
  if (old?.collisionCount == null) return;
  const count = status?.collisionCount;
  if (count == null || count < old.collisionCount) {
    errors.push(invalidValue(at.child('collisionCount'), count ?? 0, 'cannot be decremented'));
  }
}
