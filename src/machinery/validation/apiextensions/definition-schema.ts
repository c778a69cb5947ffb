/** A version's schema as a whole: its root, its structure, its defaults and its rules. */
import type { CustomResourceSubresources, CustomResourceValidation } from '../../../api/generated/apiextensions-v1.ts';
import { append } from '../../../base/index.ts';
import { type FieldError, forbiddenField, invalidValue, path, type Path } from '../../errors/index.ts';
import type { CelCompiler } from '../cel-compiler.ts';
import { goStruct } from '../go-struct.ts';
import type { ValidationContext } from '../kind-validation.ts';
import { RULES_OF_NEW, type DefinitionRules } from './definition-rules.ts';
import { inSteps } from './descend.ts';
import { rightSchemas } from './right-schemas.ts';
import { CelPlace } from './schema-cel.ts';
import { validateDefaults } from './schema-defaults.ts';
import { MAX_DEPTH, schemaDepth, type Schema } from './schema-props.ts';
import { isRightSchema, validateSchema } from './schema-rules.ts';
import { knowStructure, structuralFormProblem, validateStructural } from './structural.ts';

/** With a status of its own, an object's root is checked in two halves, and only these can be told apart. */
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
const ROOT_FIELD_NAMES = new Set<string>(ROOT_FIELDS.map(([name]) => name));

export const hasStatus = (subresources: CustomResourceSubresources | undefined): boolean =>
  subresources?.status != null;

export interface SchemaScope {
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
  if (!rightSchemas.has(schema) && schemaDepth(schema) > MAX_DEPTH) {
    errors.push(forbiddenField(schemaAt, `must not be nested more than ${MAX_DEPTH} levels deep`));
    return;
  }
  const before = errors.length;
  if (scope.status) validateRootFields(errors, schema, at);
  if (schema.nullable)
    errors.push(forbiddenField(at.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root'));
  if (rightSchemas.has(schema)) return;
  const { rules, context, ignoreRuleCost } = scope;
  let cel: CelPlace | undefined;
  let formProblem: string | undefined;
  if (rules.structural) {
    formProblem = structuralFormProblem(schema);
    if (formProblem === undefined) {
      const found: FieldError[] = [];
      validateStructural(found, schema, schemaAt);
      if (found.length === 0)
        validateDefaults(found, schema, schemaAt, { requirePruned: rules.prunedDefaults, cel: context.cel });
      if (found.length === 0 && context.cel) cel = CelPlace.root(context.cel, schema, { ignoreRuleCost });
      append(errors, found);
    }
  }
  const found = validateSchema(schema, schemaAt, { rules, cel });
  errors.push(...found.schema, ...found.cel);
  if (errors.length === before && formProblem !== undefined) errors.push(invalidValue(schemaAt, '', formProblem));
  cel?.total.report(errors, schemaAt);
}

/**
 * All checks that need only the schema, as a new definition has to pass them, in steps: a large schema need not be checked
 * in one go. One that is right is remembered, and must not be changed after that; what is wrong with another is for
 * `validateDefinitionSchema` to say.
 */
export function* knowSchema(schema: Schema, cel: CelCompiler | undefined): Generator<void> {
  const at = path();
  if (rightSchemas.has(schema) || !(yield* knowStructure(schema))) return;
  const errors: FieldError[] = [];
  const defaults = { requirePruned: RULES_OF_NEW.prunedDefaults, cel };
  if (!(yield* inSteps(errors, (later) => validateDefaults(errors, schema, at, defaults, later)))) return;
  const place = cel && CelPlace.root(cel, schema, { ignoreRuleCost: false });
  if (!(yield* isRightSchema(schema, at, { rules: RULES_OF_NEW, cel: place }))) return;
  place?.total.report(errors, at);
  if (errors.length === 0) rightSchemas.add(schema);
}

function validateRootFields(errors: FieldError[], schema: Schema, at: Path): void {
  if (schema.type && schema.type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    errors.push(invalidValue(at.child('openAPIV3Schema.type'), schema.type, detail));
    return;
  }
  const isSet = (value: unknown): boolean =>
    value != null && value !== '' && value !== false && value !== 0 && !(Array.isArray(value) && value.length === 0);
  const other = Object.entries(schema).some(([name, value]) => isSet(value) && !ROOT_FIELD_NAMES.has(name));
  if (!other) return;
  const names = ROOT_FIELDS.map(([, goName]) => goName).join(' ');
  const shown = goStruct('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps', schema);
  const detail = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`;
  errors.push(invalidValue(at.child('openAPIV3Schema'), shown, detail));
}
