/** Errors of a CustomResourceDefinition's schema. */
import type { FieldError } from '../../errors/index.ts';

/** Errors of the schema and of its CEL rules. They are separate: rules are only compiled if the schema is valid. */
export interface SchemaErrors {
  readonly schema: FieldError[];
  readonly cel: FieldError[];
}
