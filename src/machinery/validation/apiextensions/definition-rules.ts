/**
 * Validation rules for a definition. Stored definitions may violate newer rules; an update only has to satisfy the
 * rules that the stored one satisfies.
 */
import type { CustomResourceDefinition } from '../../../api/generated/apiextensions-v1.ts';
import { type FieldError, path } from '../../errors/index.ts';
import { semanticEqual } from '../equality.ts';
import { hasKnownReviewVersion } from '../review-versions.ts';
import { isCaBundle, type ConversionRules } from './conversion.ts';
import { internalSpec } from './internal-form.ts';
import { hasUnprunedDefaults } from './schema-defaults.ts';
import { someSchema, type Schema } from './schema-props.ts';
import { hasMergeableSetItems, SCHEMA_TYPES, validateMapListKeys, type SchemaRules } from './schema-rules.ts';
import { isStructural } from './structural.ts';
import { validatedSchemas } from './validated-schemas.ts';
import { MAX_SELECTABLE_FIELDS } from './version-parts.ts';

export interface DefinitionRules extends SchemaRules, ConversionRules {
  readonly schemas: boolean;
  readonly structural: boolean;
  readonly prunedDefaults: boolean;
  readonly immutableNames: boolean;
  /** Versions with an unchanged schema: the cost of their CEL rules is not checked again. */
  readonly unchangedSchemas: ReadonlySet<string>;
  /** Versions that already had the same, too many, selectable fields; the empty string for those of all versions. */
  readonly tooManySelectableFields: ReadonlySet<string>;
}

export const RULES_OF_NEW: DefinitionRules = {
  schemas: true,
  structural: true,
  prunedDefaults: true,
  immutableNames: false,
  validTypes: true,
  atomicSets: true,
  mapListKeys: true,
  knownReviewVersion: true,
  anyCaBundle: true,
  unchangedSchemas: new Set(),
  tooManySelectableFields: new Set(),
};

const NOWHERE = path();

const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  (status?.conditions ?? []).some(({ type, status: value }) => type === 'Established' && value === 'True');

export function rulesAfter(object: CustomResourceDefinition, old: CustomResourceDefinition): DefinitionRules {
  const before = internalSpec(old.spec);
  const schemas = (old.spec.versions ?? []).map(({ schema }) => schema?.openAPIV3Schema);
  const known = schemas.filter((schema): schema is Schema => schema != null);
  const doubtful = known.filter((schema) => !validatedSchemas.has(schema));
  const none = (test: (schema: Schema) => boolean): boolean => !doubtful.some((schema) => someSchema(schema, test));
  const structural = doubtful.every((schema) => isStructural(schema, NOWHERE));
  const established = isEstablished(old);
  const bundle = before.conversion?.webhookClientConfig?.caBundle;
  const reviewVersions = before.conversion?.conversionReviewVersions ?? [];
  return {
    schemas: known.length === schemas.length,
    structural,
    prunedDefaults: !structural || !doubtful.some(hasUnprunedDefaults),
    immutableNames: established,
    validTypes: none(({ type }) => Boolean(type) && !SCHEMA_TYPES.includes(type!)),
    atomicSets: none(hasMergeableSetItems),
    mapListKeys: none(hasWrongMapListKeys),
    knownReviewVersion: reviewVersions.length === 0 || hasKnownReviewVersion(reviewVersions),
    anyCaBundle: !established || (bundle !== undefined && bundle !== '' && !isCaBundle(bundle)),
    unchangedSchemas: versionsWithSame(object, old, 'schema'),
    tooManySelectableFields: new Set(
      [...versionsWithSame(object, old, 'selectableFields')].filter(
        (name) =>
          (old.spec.versions.find((version) => version.name === name)?.selectableFields?.length ?? 0) >
          MAX_SELECTABLE_FIELDS,
      ),
    ),
  };
}

function hasWrongMapListKeys(schema: Schema): boolean {
  const errors: FieldError[] = [];
  validateMapListKeys(errors, schema, NOWHERE);
  return errors.length > 0;
}

function versionsWithSame(
  object: CustomResourceDefinition,
  old: CustomResourceDefinition,
  field: 'schema' | 'selectableFields',
): Set<string> {
  const before = new Map((old.spec.versions ?? []).map((version) => [version.name, version]));
  const same = (object.spec.versions ?? []).filter(({ name, [field]: value }) => {
    const stored = before.get(name);
    return stored !== undefined && semanticEqual(stored[field], value);
  });
  return new Set(same.map(({ name }) => name));
}
