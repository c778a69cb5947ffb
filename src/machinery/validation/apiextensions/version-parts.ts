/**
 * Validates the parts of a version besides its schema: subresources, printer columns, selectable fields, deprecation
 * warning.
 */
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  SelectableField,
} from '../../../api/generated/apiextensions-v1.ts';
import { duplicate, type FieldError, invalidValue, type Path, required, tooMany } from '../../errors/index.ts';
import { utf8Length, utf8Longer } from '../../names/index.ts';
import { followFieldPath } from './field-path.ts';
import type { Schema } from './schema-props.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
export const MAX_SELECTABLE_FIELDS = 8;
const MAX_WARNING_BYTES = 256;
const NOT_PRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

export function validateSubresources(
  errors: FieldError[],
  subresources: CustomResourceSubresources | undefined,
  at: Path,
): void {
  const scale = subresources?.scale;
  if (!scale) return;
  validateReplicasPath(errors, scale.specReplicasPath ?? '', at.child('scale.specReplicasPath'), '.spec');
  validateReplicasPath(errors, scale.statusReplicasPath ?? '', at.child('scale.statusReplicasPath'), '.status');
  const selector = scale.labelSelectorPath;
  if (!selector) return;
  const selectorAt = at.child('scale.labelSelectorPath');
  if (!validateSimplePath(errors, selector, selectorAt)) return;
  if (!selector.startsWith('.spec.') && !selector.startsWith('.status.')) {
    errors.push(invalidValue(selectorAt, selector, 'should be a json path under either .spec or .status'));
  }
}

function validateReplicasPath(errors: FieldError[], path: string, at: Path, root: string): void {
  if (path === '') errors.push(required(at));
  else if (validateSimplePath(errors, path, at) && !path.startsWith(`${root}.`)) {
    errors.push(invalidValue(at, path, `should be a json path under ${root}`));
  }
}

function validateSimplePath(errors: FieldError[], path: string, at: Path): boolean {
  if (path.startsWith('.')) return true;
  errors.push(invalidValue(at, path, 'must be a simple json path starting with .'));
  return false;
}

export function validateColumns(
  errors: FieldError[],
  columns: readonly CustomResourceColumnDefinition[],
  at: Path,
): void {
  for (const [i, { name, type = '', format = '', jsonPath = '' }] of columns.entries()) {
    const columnAt = at.index(i);
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (!name) errors.push(required(columnAt.child('name')));
    if (type === '') errors.push(required(columnAt.child('type'), types));
    else if (!COLUMN_TYPES.includes(type)) errors.push(invalidValue(columnAt.child('type'), type, types));
    if (format !== '' && !COLUMN_FORMATS.includes(format)) {
      errors.push(invalidValue(columnAt.child('format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`));
    }
    if (jsonPath === '') errors.push(required(columnAt.child('JSONPath')));
    else validateSimplePath(errors, jsonPath, columnAt.child('JSONPath'));
  }
}

interface SelectableFieldRules {
  readonly schema: Schema;
  /** The stored definition has the same fields. */
  readonly allowTooMany: boolean;
}

export function validateSelectableFields(
  errors: FieldError[],
  fields: readonly SelectableField[],
  at: Path,
  rules: SelectableFieldRules,
): void {
  const seen = new Set<string>();
  for (const [i, { jsonPath = '' }] of fields.entries()) {
    const pathAt = at.index(i).child('jsonPath');
    if (jsonPath === '') {
      errors.push(required(pathAt));
      continue;
    }
    const found = followFieldPath(jsonPath, rules.schema, { brackets: false });
    if (typeof found === 'string') {
      errors.push(invalidValue(pathAt, jsonPath, `is an invalid path: ${found}`));
      continue;
    }
    if (found.steps[0] === 'metadata')
      errors.push(invalidValue(pathAt, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(found.schema?.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalidValue(pathAt, jsonPath, detail));
    }
    const path = found.steps.join('.');
    if (seen.has(path)) errors.push(duplicate(pathAt, jsonPath));
    seen.add(path);
  }
  if (seen.size > MAX_SELECTABLE_FIELDS && !rules.allowTooMany)
    errors.push(tooMany(at, seen.size, MAX_SELECTABLE_FIELDS));
}

export function validateDeprecation(
  errors: FieldError[],
  { deprecated, deprecationWarning: warning }: { deprecated?: boolean; deprecationWarning?: string },
  at: Path,
): void {
  if (warning == null) return;
  const refuse = (detail: string): void => {
    errors.push(invalidValue(at, warning, detail));
  };
  if (!deprecated) {
    refuse('can only be set for deprecated versions');
    return;
  }
  if (utf8Longer(warning, MAX_WARNING_BYTES)) refuse(`must be <= ${MAX_WARNING_BYTES} characters long`);
  if (warning === '') refuse('must not be an empty string');
  const found = NOT_PRINTABLE.exec(warning);
  if (found) {
    const position = utf8Length(warning.slice(0, found.index));
    refuse(`must only contain printable UTF-8 characters; non-printable character found at index ${position}`);
  }
}
