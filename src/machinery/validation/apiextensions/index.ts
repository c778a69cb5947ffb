/**
 * Validation of the apiextensions group: CustomResourceDefinitions, whose schemas have rules of their own, and what those
 * schemas ask of the objects of a custom kind.
 */
import type { KindValidation } from '../kind-validation.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';

export { knowSchema } from './definition-schema.ts';
export { validateEmbeddedMetadata } from './embedded-metadata.ts';
export { followFieldPath, type FieldPath } from './field-path.ts';
export { compileGoRegexp, GoRegexpError } from './go-regexp.ts';
export { validateListTypes } from './list-types.ts';
export { pruned } from './pruning.ts';
export type { Schema } from './schema-props.ts';
export { knowStructure } from './structural.ts';
export { isRecognizedFormat, stringFormat } from './value-formats.ts';
export { validateValue } from './value-validation.ts';

export const apiextensionsValidations: Readonly<Record<string, KindValidation>> = {
  'apiextensions.k8s.io/customresourcedefinitions': customResourceDefinition,
};
