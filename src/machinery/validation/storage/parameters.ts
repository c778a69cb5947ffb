/** Validates provisioner and parameters of classes. */
import { type FieldError, invalidValue, type Path, required, tooLong } from '../../errors/index.ts';
import { utf8Length } from '../../names/index.ts';
import { validateLabelName } from '../label-selector.ts';

const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

export function validateProvisioner(errors: FieldError[], provisioner: string, at: Path): void {
  if (provisioner === '') errors.push(required(at));
  else validateLabelName(errors, provisioner.toLowerCase(), at);
}

export function validateParameters(
  errors: FieldError[],
  parameters: Readonly<Record<string, string>> | undefined,
  at: Path,
  { needed }: { needed: boolean },
): void {
  const entries = Object.entries(parameters ?? {});
  if (entries.length > MAX_PARAMETERS) {
    errors.push(tooLong(at, MAX_PARAMETERS));
    return;
  }
  for (const [key] of entries) if (key === '') errors.push(invalidValue(at, key, 'field can not be empty.'));
  if (bytesOf(entries) > MAX_PARAMETER_BYTES) errors.push(tooLong(at, MAX_PARAMETER_BYTES));
  if (needed && entries.length === 0) errors.push(required(at, 'must contain at least one key/value pair'));
}

export const bytesOf = (entries: readonly (readonly [string, string])[]): number =>
  entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
