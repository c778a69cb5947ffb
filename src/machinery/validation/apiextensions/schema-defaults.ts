/** The defaults in a schema: each is a value that the schema allows and knows every field of. */
import { append } from '../../../base/index.ts';
import { aggregateMessage, FieldError, invalidValue, path, type Path } from '../../errors/index.ts';
import type { CelCompiler } from '../cel-compiler.ts';
import { semanticEqual } from '../equality.ts';
import { AT_ONCE, type Descend } from './descend.ts';
import { validateEmbeddedMetadata } from './embedded-metadata.ts';
import { pruned } from './pruning.ts';
import { isEmbeddedResource, itemsOf, propertiesOf, someSchema, type Schema } from './schema-props.ts';
import { validateValue } from './value-validation.ts';

export interface DefaultRules {
  readonly requirePruned: boolean;
  readonly cel: CelCompiler | undefined;
}

/** How a value at some place looks from the resource that it is in. */
type Surround = (value: unknown) => unknown;

interface Place {
  readonly rules: DefaultRules;
  /** The schema of the resource that this is a part of, and how a value stands in it. */
  readonly resource: Schema;
  readonly surround: Surround;
  /** Inside of apiVersion, kind or metadata. */
  readonly insideMeta: boolean;
  readonly descend: Descend;
}

const asResource: Surround = (value) =>
  typeof value === 'object' && value !== null ? { apiVersion: 'validation/v1', kind: 'Validation', ...value } : value;

export function validateDefaults(
  errors: FieldError[],
  schema: Schema,
  at: Path,
  rules: DefaultRules,
  descend: Descend = AT_ONCE,
): void {
  const root: Schema = isEmbeddedResource(schema) ? schema : { ...schema, 'x-kubernetes-embedded-resource': true };
  validateNode(errors, root, at, { rules, resource: root, surround: asResource, insideMeta: false, descend });
}

export const hasDefaults = (schema: Schema | undefined | null): boolean =>
  someSchema(schema, (one) => one.default !== undefined && one.default !== null);

/** Whether some default has a field that its schema does not know. */
export function hasUnprunedDefaults(schema: Schema): boolean {
  return someSchema(
    schema,
    (one) => one.default != null && !semanticEqual(pruned(one.default, one, isEmbeddedResource(one)), one.default),
  );
}

function validateNode(errors: FieldError[], schema: Schema, at: Path, given: Place): void {
  const place = isEmbeddedResource(schema)
    ? { ...given, resource: schema, surround: asResource, insideMeta: false }
    : given;
  if (schema.default !== undefined && schema.default !== null)
    validateDefault(errors, schema, at.child('default'), place);
  const items = itemsOf(schema);
  if (items)
    place.descend(() =>
      validateNode(errors, items, at.child('items'), { ...place, surround: (value) => place.surround([value]) }),
    );
  for (const [name, property] of propertiesOf(schema)) {
    const meta = isEmbeddedResource(schema) && (name === 'metadata' || name === 'apiVersion' || name === 'kind');
    const inside: Place = {
      ...place,
      insideMeta: place.insideMeta || meta,
      surround: (value) => place.surround({ [name]: value }),
    };
    place.descend(() => validateNode(errors, property, at.child('properties').key(name), inside));
  }
}

function validateDefault(
  errors: FieldError[],
  schema: Schema,
  at: Path,
  { rules, resource, surround, insideMeta }: Place,
): void {
  const value = schema.default;
  const embedded = isEmbeddedResource(schema);
  const metadataErrors: FieldError[] = [];
  if (insideMeta) {
    validateEmbeddedMetadata(metadataErrors, surround(value), resource, path(), true);
    if (metadataErrors.length > 0) {
      errors.push(invalidValue(at, value, `must result in valid metadata: ${aggregateMessage(metadataErrors)}`));
      return;
    }
  } else {
    if (rules.requirePruned && !semanticEqual(pruned(value, schema, embedded), value)) {
      errors.push(invalidValue(at, value, 'must not have unknown fields'));
    }
    validateEmbeddedMetadata(metadataErrors, value, schema, at, embedded);
    append(errors, metadataErrors);
    if (metadataErrors.length > 0) return;
  }
  const before = errors.length;
  validateValue(errors, value, schema, at);
  if (errors.length > before) return;
  for (const { field, reason, value: shown, detail } of rules.cel?.evaluateSchemaRules?.(schema, value) ?? []) {
    errors.push(new FieldError(reason, field === '' ? at.toString() : `${at}.${field}`, shown, detail));
  }
}
