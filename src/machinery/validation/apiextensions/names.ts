/** Validates the names of a custom resource. */
import type { CustomResourceDefinitionNames } from '../../../api/generated/apiextensions-v1.ts';
import { type FieldError, invalidValue, type Path } from '../../errors/index.ts';
import { dns1035Label } from '../../names/index.ts';

export function validateNames(errors: FieldError[], names: Partial<CustomResourceDefinitionNames>, at: Path): void {
  const { kind = '', listKind = '' } = names;
  for (const name of ['plural', 'singular'] as const) validateLabel(errors, names[name] ?? '', at.child(name));
  for (const name of ['kind', 'listKind'] as const) {
    const value = names[name] ?? '';
    const messages = value === '' ? [] : dns1035Label(value.toLowerCase());
    if (messages.length > 0) {
      errors.push(
        invalidValue(at.child(name), value, `may have mixed case, but should otherwise match: ${messages.join(',')}`),
      );
    }
  }
  for (const [i, name] of (names.shortNames ?? []).entries())
    validateListed(errors, name, at.child('shortNames').index(i));
  if (kind !== '' && kind === listKind)
    errors.push(invalidValue(at.child('listKind'), listKind, 'kind and listKind may not be the same'));
  for (const [i, name] of (names.categories ?? []).entries())
    validateListed(errors, name, at.child('categories').index(i));
}

/** An optional name. */
function validateLabel(errors: FieldError[], name: string, at: Path): void {
  if (name !== '') validateListed(errors, name, at);
}

export function validateListed(errors: FieldError[], name: string, at: Path): void {
  const messages = dns1035Label(name);
  if (messages.length > 0) errors.push(invalidValue(at, name, messages.join(',')));
}
