/**
 * Validation of objects. Each kind has ordered lists of named checks for create, update and its subresources
 * (`registry.ts`); errors are reported in the order of the checks. Checks are pure functions: everything besides the
 * objects is in the ValidationContext. Objects are in canonical form and have their defaults.
 */
export { compileGoRegexp, GoRegexpError } from './apiextensions/go-regexp.ts';
export {
  followFieldPath,
  isRecognizedFormat,
  prevalidateSchema,
  prevalidateStructure,
  type Schema,
  validateEmbeddedMetadata,
  validateListTypes,
  validateValue,
  withCompatibleFormats,
} from './apiextensions/index.ts';
export {
  additionalOf,
  isEmbeddedResource,
  isIntOrString,
  itemsOf,
  preservesUnknownFields,
  propertiesOf,
  propertyOf,
} from './apiextensions/schema-props.ts';
export { structuralFormProblem, validateStructural } from './apiextensions/structural.ts';
export { stringFormat } from './apiextensions/value-formats.ts';
export {
  type CelAdmissionExpression,
  type CelCompilation,
  type CelCompilationError,
  type CelCompiler,
  compilerOf,
  type DeviceSelectorKnowledge,
  type CelSchemaRule,
  type CelValueFailure,
} from './cel-compiler.ts';
export { isExtendedResource } from './core/resource-names.ts';
export { clusterIps } from './core/service/service-cluster-ips.ts';
export { semanticEqual } from './equality.ts';
export { parseGoUrl } from './go-url.ts';
export { DEFAULT_VALIDATION_CONTEXT, type KindValidation, type ValidationContext } from './kind-validation.ts';
export { validateAnyObjectMetaUpdate, validateFieldManager, validateObjectMeta } from './object-meta.ts';
export {
  validateBody,
  validateCreate,
  type ValidatedResource,
  validateStatusUpdate,
  validateSubresourceUpdate,
  validateUpdate,
  validationOf,
  warningsOnCreate,
  warningsOnStatusUpdate,
  warningsOnUpdate,
} from './validate-object.ts';
