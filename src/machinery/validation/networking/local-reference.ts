/** Validates TypedLocalObjectReferences. */
import { type FieldError, invalidValue, type Path, required } from '../../errors/index.ts';
import { dns1123Subdomain, pathSegmentName } from '../../names/index.ts';

interface TypedLocalReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export function validateTypedLocalReference(errors: FieldError[], reference: TypedLocalReference, at: Path): void {
  const { apiGroup } = reference;
  if (apiGroup != null)
    for (const message of dns1123Subdomain(apiGroup))
      errors.push(invalidValue(at.child('apiGroup'), apiGroup, message));
  for (const name of ['kind', 'name'] as const) {
    const value = reference[name] ?? '';
    if (value === '') errors.push(required(at.child(name)));
    else for (const message of pathSegmentName(value)) errors.push(invalidValue(at.child(name), value, message));
  }
}
