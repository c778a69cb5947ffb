/**
 * Validation of the apiextensions group: CustomResourceDefinitions with their structural schemas, and custom
 * resources against these schemas.
 */
import type { KindValidation } from '../kind-validation.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';

export { prevalidateSchema } from './definition-schema.ts';
export { validateEmbeddedMetadata } from './embedded-metadata.ts';
export { followFieldPath } from './field-path.ts';
export { validateListTypes } from './list-types.ts';
export type { Schema } from './schema-props.ts';
export { prevalidateStructure } from './structural.ts';
export { withCompatibleFormats } from './compatible-formats.ts';
export { isRecognizedFormat } from './value-formats.ts';
export { validateValue } from './value-validation.ts';

export const apiextensionsValidations: Readonly<Record<string, KindValidation>> = {
  'apiextensions.k8s.io/customresourcedefinitions': customResourceDefinition,
};
