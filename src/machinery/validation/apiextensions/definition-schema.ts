/** Validates the schema of a version: its root, structure, defaults and CEL rules. */
import type { CustomResourceSubresources, CustomResourceValidation } from '../../../api/generated/apiextensions-v1.ts';
import { append } from '../../../base/index.ts';
import { type FieldError, forbiddenField, invalidValue, path, type Path } from '../../errors/index.ts';
import type { CelCompiler } from '../cel-compiler.ts';
import { goStruct } from '../go-struct.ts';
import type { ValidationContext } from '../kind-validation.ts';
import { RULES_OF_NEW, type DefinitionRules } from './definition-rules.ts';
import { inSteps } from './descend.ts';
import { CelSchemaContext } from './schema-cel.ts';
import { validateDefaults } from './schema-defaults.ts';
import { MAX_DEPTH, schemaDepth, type Schema } from './schema-props.ts';
import { isValidSchema, validateSchema } from './schema-rules.ts';
import { prevalidateStructure, structuralFormProblem, validateStructural } from './structural.ts';
import { validatedSchemas } from './validated-schemas.ts';

/** With a status subresource, the root schema may only have these fields. */
const ROOT_FIELDS = [
  ['description', 'Description'],
  ['type', 'Type'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['properties', 'Properties'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-validations', 'XValidations'],
] as const;
const SCHEMA_OR_BOOL = ['additionalProperties', 'additionalItems'];
const ROOT_FIELD_NAMES = new Set<string>(ROOT_FIELDS.map(([name]) => name));

export const hasStatus = (subresources: CustomResourceSubresources | undefined): boolean =>
  subresources?.status != null;

interface SchemaScope {
  readonly status: boolean;
  readonly rules: DefinitionRules;
  readonly ignoreRuleCost: boolean;
  readonly context: ValidationContext;
}

export function validateDefinitionSchema(
  errors: FieldError[],
  validation: CustomResourceValidation | undefined,
  at: Path,
  scope: SchemaScope,
): void {
  const schema = validation?.openAPIV3Schema;
  if (!schema) return;
  const schemaAt = at.child('openAPIV3Schema');
  if (!validatedSchemas.has(schema) && schemaDepth(schema) > MAX_DEPTH) {
    errors.push(forbiddenField(schemaAt, `must not be nested more than ${MAX_DEPTH} levels deep`));
    return;
  }
  const before = errors.length;
  if (scope.status) validateRootFields(errors, schema, at);
  if (schema.nullable)
    errors.push(forbiddenField(at.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root'));
  if (validatedSchemas.has(schema)) return;
  const { rules, context, ignoreRuleCost } = scope;
  let cel: CelSchemaContext | undefined;
  let formProblem: string | undefined;
  if (rules.structural) {
    formProblem = structuralFormProblem(schema);
    if (formProblem === undefined) {
      const found: FieldError[] = [];
      validateStructural(found, schema, schemaAt);
      if (found.length === 0)
        validateDefaults(found, schema, schemaAt, { requirePruned: rules.prunedDefaults, cel: context.cel });
      if (found.length === 0 && context.cel) cel = CelSchemaContext.root(context.cel, schema, { ignoreRuleCost });
      append(errors, found);
    }
  }
  const found = validateSchema(schema, schemaAt, { rules, cel });
  errors.push(...found.schema, ...found.cel);
  if (errors.length === before && formProblem !== undefined) errors.push(invalidValue(schemaAt, '', formProblem));
  cel?.total.report(errors, schemaAt);
}

/**
 * Runs all checks of a new definition that need only the schema, in steps, because a large schema takes long. A valid
 * schema is remembered and must not change afterwards; the errors of an invalid one are found by
 * `validateDefinitionSchema`.
 */
export function* prevalidateSchema(schema: Schema, cel: CelCompiler | undefined): Generator<void> {
  const at = path();
  if (validatedSchemas.has(schema) || !(yield* prevalidateStructure(schema))) return;
  const errors: FieldError[] = [];
  const defaults = { requirePruned: RULES_OF_NEW.prunedDefaults, cel };
  if (!(yield* inSteps(errors, (later) => validateDefaults(errors, schema, at, defaults, later)))) return;
  const place = cel && CelSchemaContext.root(cel, schema, { ignoreRuleCost: false });
  if (!(yield* isValidSchema(schema, at, { rules: RULES_OF_NEW, cel: place }))) return;
  place?.total.report(errors, at);
  if (errors.length === 0) validatedSchemas.add(schema);
}

function validateRootFields(errors: FieldError[], schema: Schema, at: Path): void {
  if (schema.type && schema.type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    errors.push(invalidValue(at.child('openAPIV3Schema.type'), schema.type, detail));
    return;
  }
  // A number is a pointer in Go, and a boolean that a schema may replace is a struct: their zero values are set, too.
  const isSet = (name: string, value: unknown): boolean =>
    value != null &&
    value !== '' &&
    (value !== false || SCHEMA_OR_BOOL.includes(name)) &&
    !(Array.isArray(value) && value.length === 0);
  const other = Object.entries(schema).some(([name, value]) => isSet(name, value) && !ROOT_FIELD_NAMES.has(name));
  if (!other) return;
  const names = ROOT_FIELDS.map(([, goName]) => goName).join(' ');
  const shown = goStruct('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps', schema);
  const detail = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`;
  errors.push(invalidValue(at.child('openAPIV3Schema'), shown, detail));
}
