/** Validation of CustomResourceDefinitions. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '../../../api/generated/apiextensions-v1.ts';
import { type FieldError, invalidValue, notSupported, path, required } from '../../errors/index.ts';
import { dns1123Subdomain, type NameCheck, nameIsDnsSubdomain } from '../../names/index.ts';
import { goStructs } from '../go-struct.ts';
import { parseGoUrl } from '../go-url.ts';
import type { KindValidation, UpdateCheck, ValidationContext } from '../kind-validation.ts';
import { validateAnyObjectMetaUpdate, validateImmutable, validateObjectMeta } from '../object-meta.ts';
import { validateConversion } from './conversion.ts';
import { RULES_OF_NEW, rulesAfter, type DefinitionRules } from './definition-rules.ts';
import { hasStatus, validateDefinitionSchema } from './definition-schema.ts';
import { unrecognizedFormatWarnings } from './format-warnings.ts';
import { internalSpec, type InternalSpec } from './internal-form.ts';
import { validateListed, validateNames } from './names.ts';
import { hasDefaults } from './schema-defaults.ts';
import { someSchema, type Schema } from './schema-props.ts';
import { structuralFormProblem } from './structural.ts';
import {
  validateColumns,
  validateDeprecation,
  validateSelectableFields,
  validateSubresources,
} from './version-parts.ts';

const SPEC = path('spec');
const STATUS = path('status');
const SCOPES = ['Cluster', 'Namespaced'];
const VERSION_TYPE = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion';

/** Finalizers need no domain: the server's own has none. */
const metadataUpdate: UpdateCheck<CustomResourceDefinition> = (errors, object, old) =>
  validateAnyObjectMetaUpdate(errors, object.metadata, old.metadata);

export const customResourceDefinition: KindValidation<CustomResourceDefinition> = {
  create: [
    (errors, object) =>
      validateObjectMeta(errors, object.metadata, {
        namespaced: false,
        name: nameOf(object.spec),
        unqualifiedFinalizers: true,
      }),
    (errors, object, context) => validateSpec(errors, object.spec, RULES_OF_NEW, context),
    (errors, object) => validateNames(errors, object.status?.acceptedNames ?? {}, STATUS.child('acceptedNames')),
    (errors, object) => validateStoredVersions(errors, object),
    (errors, object) => validateApproval(errors, object, undefined),
    (errors, object) => validatePreserveUnknownFields(errors, object, undefined),
  ],
  update: [
    metadataUpdate,
    (errors, object, old, context) => validateSpecUpdate(errors, object, old, context),
    (errors, object) => validateNames(errors, object.status?.acceptedNames ?? {}, STATUS.child('acceptedNames')),
    (errors, object) => validateStoredVersions(errors, object),
    (errors, object, old) => validateApproval(errors, object, old),
    (errors, object, old) => validatePreserveUnknownFields(errors, object, old),
  ],
  status: [
    metadataUpdate,
    (errors, object) => validateNames(errors, object.status?.acceptedNames ?? {}, STATUS.child('acceptedNames')),
  ],
  warnings: [unrecognizedFormatWarnings],
};

const nameOf =
  (spec: CustomResourceDefinitionSpec | undefined): NameCheck =>
  (name, prefix) => {
    const messages = nameIsDnsSubdomain(name, prefix);
    const wanted = `${spec?.names?.plural ?? ''}.${spec?.group ?? ''}`;
    return name === wanted ? messages : [...messages, 'must be spec.names.plural+"."+spec.group'];
  };

function validateSpecUpdate(
  errors: FieldError[],
  object: CustomResourceDefinition,
  old: CustomResourceDefinition,
  context: ValidationContext,
): void {
  const rules = rulesAfter(object, old);
  const [{ scope, group, names }, before] = [object.spec, old.spec];
  validateSpec(errors, object.spec, rules, context);
  if (rules.immutableNames) {
    validateImmutable(errors, scope ?? '', before.scope ?? '', SPEC.child('scope'));
    validateImmutable(errors, names?.kind ?? '', before.names?.kind ?? '', SPEC.child('names', 'kind'));
  }
  validateImmutable(errors, group ?? '', before.group ?? '', SPEC.child('group'));
  validateImmutable(errors, names?.plural ?? '', before.names?.plural ?? '', SPEC.child('names', 'plural'));
}

function validateSpec(
  errors: FieldError[],
  given: CustomResourceDefinitionSpec | undefined,
  asked: DefinitionRules,
  context: ValidationContext,
): void {
  const spec = given ?? { group: '', names: { plural: '', kind: '' }, scope: '', versions: [] };
  const internal = internalSpec(spec);
  const preserves = spec.preserveUnknownFields === true;
  const structural =
    asked.structural ||
    !preserves ||
    internal.versions.some(hasExtensions) ||
    hasDefaults(internal.validation?.openAPIV3Schema);
  const rules = structural === asked.structural ? asked : { ...asked, structural };
  validateGroupAndScope(errors, spec);
  validateSchemasGiven(errors, internal, { needed: rules.schemas, pruning: !preserves });
  if (preserves && (spec.versions ?? []).some(({ schema }) => hasDefaults(schema?.openAPIV3Schema))) {
    errors.push(
      invalidValue(SPEC.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema'),
    );
  }
  const perVersion = internal.versions.some(({ subresources }) => subresources);
  for (const [i, version] of internal.versions.entries())
    validateVersion(errors, version, i, { internal, perVersion, rules, context });
  validateVersionList(errors, internal, given?.versions == null);
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!spec.names?.[name]) errors.push(required(SPEC.child('names', name)));
  }
  validateNames(errors, spec.names ?? {}, SPEC.child('names'));
  validateCommonParts(errors, internal, rules, context);
  if (internal.conversion) {
    const { strategy } = internal.conversion;
    if (strategy !== 'None' && preserves) {
      errors.push(
        invalidValue(
          SPEC.child('conversion', 'strategy'),
          strategy,
          'must be None if spec.preserveUnknownFields is true',
        ),
      );
    }
    validateConversion(errors, internal.conversion, SPEC.child('conversion'), rules);
  }
}

function validateGroupAndScope(errors: FieldError[], { group = '', scope = '' }: CustomResourceDefinitionSpec): void {
  const messages = dns1123Subdomain(group);
  if (group === '') errors.push(required(SPEC.child('group')));
  else if (messages.length > 0) errors.push(invalidValue(SPEC.child('group'), group, messages.join(',')));
  else if (!group.includes('.'))
    errors.push(invalidValue(SPEC.child('group'), group, 'should be a domain with at least one dot'));
  if (scope === '') errors.push(required(SPEC.child('scope')));
  else if (!SCOPES.includes(scope)) errors.push(notSupported(SPEC.child('scope'), scope, SCOPES));
}

function validateSchemasGiven(
  errors: FieldError[],
  internal: InternalSpec,
  { needed, pruning }: { needed: boolean; pruning: boolean },
): void {
  if (internal.validation?.openAPIV3Schema) return;
  for (const [i, { schema, served }] of internal.versions.entries()) {
    if (schema?.openAPIV3Schema) continue;
    const at = SPEC.child('versions').index(i).child('schema', 'openAPIV3Schema');
    if (needed) errors.push(required(at));
    else if (pruning && served) errors.push(required(at, 'because otherwise all fields are pruned'));
  }
}

const EXTENSIONS = [
  'x-kubernetes-embedded-resource',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations',
] as const;

const hasExtensions = ({ schema }: CustomResourceDefinitionVersion): boolean =>
  someSchema(schema?.openAPIV3Schema, (one: Schema) =>
    EXTENSIONS.some((name) => one[name] != null && one[name] !== false),
  );

interface VersionScope {
  readonly internal: InternalSpec;
  /** Whether subresources are declared per version. */
  readonly perVersion: boolean;
  readonly rules: DefinitionRules;
  readonly context: ValidationContext;
}

function validateVersion(
  errors: FieldError[],
  version: CustomResourceDefinitionVersion,
  i: number,
  { internal, perVersion, rules, context }: VersionScope,
): void {
  const at = SPEC.child('versions').index(i);
  const { name = '', schema, additionalPrinterColumns, selectableFields } = version;
  validateListed(errors, name, at.child('name'));
  validateDeprecation(errors, version, at.child('deprecationWarning'));
  const status = hasStatus(perVersion ? version.subresources : internal.subresources);
  validateDefinitionSchema(errors, schema, at.child('schema'), {
    status,
    rules,
    context,
    ignoreRuleCost: rules.unchangedSchemas.has(name),
  });
  validateSubresources(errors, version.subresources, at.child('subresources'));
  validateColumns(errors, additionalPrinterColumns ?? [], at.child('additionalPrinterColumns'));
  if (!selectableFields?.length) return;
  const root = schema?.openAPIV3Schema;
  const fieldsAt = at.child('selectableFields');
  if (!root) {
    const detail = 'may only be set when `version.schema.openAPIV3Schema` is not included';
    errors.push(invalidValue(fieldsAt, '', detail));
    return;
  }
  const problem = structuralFormProblem(root);
  if (problem !== undefined) errors.push(invalidValue(at.child('schema.openAPIV3Schema'), '', problem));
  else {
    const allowTooMany = rules.tooManySelectableFields.has(name);
    validateSelectableFields(errors, selectableFields, fieldsAt, { schema: root, allowTooMany });
  }
}

function validateVersionList(errors: FieldError[], { versions, version }: InternalSpec, absent: boolean): void {
  const at = SPEC.child('versions');
  const names = versions.map(({ name }) => name);
  const shown = (): unknown => (absent ? null : goStructs(VERSION_TYPE, versions));
  if (new Set(names).size < names.length) errors.push(invalidValue(at, shown(), 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(invalidValue(at, shown(), 'must have exactly one version marked as storage version'));
  }
  if (version !== '') validateListed(errors, version, SPEC.child('version'));
}

/** Validates the fields that all versions share. */
function validateCommonParts(
  errors: FieldError[],
  internal: InternalSpec,
  rules: DefinitionRules,
  context: ValidationContext,
): void {
  const { validation, subresources, additionalPrinterColumns, selectableFields, version, versions } = internal;
  const status = hasStatus(subresources) || versions.some((one) => hasStatus(one.subresources));
  const ignoreRuleCost = rules.unchangedSchemas.has(version);
  validateDefinitionSchema(errors, validation, SPEC.child('validation'), { status, rules, context, ignoreRuleCost });
  validateSubresources(errors, subresources, SPEC.child('subresources'));
  validateColumns(errors, additionalPrinterColumns, SPEC.child('additionalPrinterColumns'));
  if (selectableFields.length === 0) return;
  const at = SPEC.child('selectableFields');
  if (!validation) errors.push(invalidValue(at, '', 'may only be set when validations.schema is included'));
  else {
    const schema = validation.openAPIV3Schema ?? ({} as Schema);
    const problem = structuralFormProblem(schema);
    if (problem !== undefined) errors.push(invalidValue(SPEC.child('schema.openAPIV3Schema'), '', problem));
    else
      validateSelectableFields(errors, selectableFields, at, {
        schema,
        allowTooMany: rules.tooManySelectableFields.has(version),
      });
  }
}

function validateStoredVersions(errors: FieldError[], { spec, status }: CustomResourceDefinition): void {
  const at = STATUS.child('storedVersions');
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) {
    errors.push(invalidValue(at, status?.storedVersions, 'must have at least one stored version'));
    return;
  }
  const versions = spec?.versions ?? [];
  // As upstream, each stored version stands for one version of its name.
  const unmatched = new Set(stored);
  for (const { name, storage } of versions) {
    if (!unmatched.delete(name) && storage)
      errors.push(invalidValue(at, stored, `must have the storage version ${name}`));
  }
  const names = new Set(versions.map(({ name }) => name));
  for (const [i, name] of stored.entries()) {
    if (names.has(name)) continue;
    const until = `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ${until}`;
    errors.push(invalidValue(at.index(i), name, detail));
  }
}

const APPROVAL = 'api-approved.kubernetes.io';
const APPROVAL_PLACE = 'see https://github.com/kubernetes/enhancements/pull/1111';
const PROTECTED_GROUP = /(?:^|\.)(?:k8s|kubernetes)\.io$/;

type Approval = 'missing' | 'bypassed' | 'approved' | 'invalid';

function approvalOf({ metadata }: CustomResourceDefinition): Approval {
  const annotation = metadata.annotations?.[APPROVAL] ?? '';
  if (annotation === '') return 'missing';
  if (annotation.startsWith('unapproved')) return 'bypassed';
  const url = parseGoUrl(annotation);
  return typeof url !== 'string' && url.host !== '' && url.scheme !== '' ? 'approved' : 'invalid';
}

/** Definitions in groups of Kubernetes (*.k8s.io) need the annotation api-approved.kubernetes.io. */
function validateApproval(
  errors: FieldError[],
  object: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): void {
  if (!PROTECTED_GROUP.test(object.spec?.group ?? '')) return;
  const approval = approvalOf(object);
  if (old && approvalOf(old) === approval) return;
  const at = path('metadata', 'annotations').key(APPROVAL);
  const must = `protected groups must have approval annotation "${APPROVAL}"`;
  if (approval === 'missing') errors.push(required(at, `${must}, ${APPROVAL_PLACE}`));
  else if (approval === 'invalid') {
    const detail = `${must} with either a URL or a reason starting with "unapproved", ${APPROVAL_PLACE}`;
    errors.push(invalidValue(at, object.metadata.annotations?.[APPROVAL], detail));
  }
}

function validatePreserveUnknownFields(
  errors: FieldError[],
  { spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): void {
  if (old?.spec.preserveUnknownFields || !spec?.preserveUnknownFields) return;
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  errors.push(invalidValue(SPEC.child('preserveUnknownFields'), true, detail));
}
