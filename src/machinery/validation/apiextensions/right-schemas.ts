import type { Schema } from './schema-props.ts';

/** Schemas that pass every check of a new definition's, and are not changed any more: they are not checked again. */
export const rightSchemas = new WeakSet<Schema>();
