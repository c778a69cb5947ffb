import type { Schema } from './schema-props.ts';

/** Immutable schemas that passed all checks of a new definition and need no further validation. */
export const validatedSchemas = new WeakSet<Schema>();
